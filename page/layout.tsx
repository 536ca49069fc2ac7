/** The frame of every screen: name, navigation, person and banner. */
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { can, login, logOut } from './auth/login.ts';
import { SCREENS } from './router.tsx';
import { RegulatorBanner } from './screens/session/regulator-banner.tsx';
import { ROOT, settings, to } from './settings.ts';
import { LogInButton } from './ui/actions.tsx';
import { Icon } from './ui/badge.tsx';
import { Button } from './ui/button.tsx';
import { GlobalSearch } from './ui/global-search.tsx';

export function Layout({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={ROOT}>
          <Icon name="package" />
          Package imports
        </a>
        <Navigation />
        <GlobalSearch />
        <Person />
      </header>
      <div class="banner">
        <LoginEnded />
        <RegulatorBanner />
      </div>
      <main id="main" class="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot muted small">Version {settings().version}</footer>
    </>
  );
}

function Navigation() {
  const { path } = useLocation();
  return (
    <nav aria-label="Screens">
      <ul>
        {SCREENS.filter((screen) => screen.nav && can(screen.needs)).map(({ nav, path: own }) => (
          <li key={own}>
            <a href={to(own)} aria-current={isWithin(path, own) ? 'page' : undefined}>
              {nav}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Person() {
  const { value } = login;
  if (!('person' in value)) return null;
  return (
    <div class="cluster">
      <span class="muted">{value.person.name}</span>
      <Button kind="quiet" onClick={() => void logOut()}>
        Log out
      </Button>
    </div>
  );
}

function LoginEnded() {
  if (login.value.state !== 'ended') return null;
  return (
    <div class="notice warn" role="alert">
      Your login has ended. This screen is no longer updated.
      <LogInButton label="Log in again" />
    </div>
  );
}

/** An import belongs to the list of imports. */
function isWithin(path: string, own: string): boolean {
  if (own === '') return `${path}/` === ROOT || path.startsWith(to('imports/'));
  return path === to(own) || path.startsWith(`${to(own)}/`);
}
