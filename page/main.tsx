/** The start of the page: settings, login, then the screen of the address. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/table.css';
import { render } from 'preact';
import { ErrorBoundary, LocationProvider } from 'preact-iso';
import { Gate } from './auth/gate.tsx';
import { startLogin } from './auth/login.ts';
import { Screens } from './router.tsx';
import { RegulatorBanner } from './screens/session/regulator-banner.tsx';
import { loadSettings } from './settings.ts';
import { Layout } from './ui/layout.tsx';

const place = document.getElementById('app');

if (place) {
  render(
    <Gate>
      <LocationProvider>
        <Layout banner={<RegulatorBanner />}>
          <ErrorBoundary>
            <Screens />
          </ErrorBoundary>
        </Layout>
      </LocationProvider>
    </Gate>,
    place,
  );
  void begin(place);
}

async function begin(element: HTMLElement): Promise<void> {
  try {
    await startLogin(await loadSettings());
  } catch (error) {
    render(<p class="centre">The service cannot be reached: {(error as Error).message}</p>, element);
  }
}
