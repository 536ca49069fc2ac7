/** The start of the page: settings, login, then the screen of the address. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/table.css';
import { type ComponentChildren, render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { login, startLogin } from './auth/login.ts';
import { Layout } from './layout.tsx';
import { Screens } from './router.tsx';
import { loadSettings } from './settings.ts';
import { LogInButton } from './ui/actions.tsx';
import { Loading } from './ui/states.tsx';

const place = document.getElementById('app');

if (place) {
  render(
    <Gate>
      <LocationProvider>
        <Layout>
          <Screens />
        </Layout>
      </LocationProvider>
    </Gate>,
    place,
  );
  void begin(place);
}

async function begin(element: HTMLElement): Promise<void> {
  try {
    await loadSettings();
    await startLogin();
  } catch (error) {
    render(<p class="centre">The service cannot be reached: {(error as Error).message}</p>, element);
  }
}

/** Shows its children after the login. */
function Gate({ children }: { children: ComponentChildren }) {
  const { value } = login;
  if ('person' in value) return <>{children}</>;
  if (value.state === 'starting')
    return (
      <main class="centre">
        <Loading />
      </main>
    );
  return (
    <main class="centre">
      <div class="state">
        <h1>{value.state === 'out' ? 'You are logged out' : 'The login failed'}</h1>
        {value.state === 'failed' && <p role="alert">{value.reason}</p>}
        {value.state === 'out' && !value.everywhere && (
          <p role="alert">
            You are still logged in at the identity service. Close the browser if others use this computer.
          </p>
        )}
        <LogInButton label="Log in" kind="primary" />
      </div>
    </main>
  );
}
