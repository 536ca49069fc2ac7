/** The screens with their paths and permissions. Each is loaded when it is first opened. */
import type { FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { lazy, Route, Router, useLocation } from 'preact-iso';
import type { ProtectedOperationId } from '../src/contract/operations.ts';
import { can } from './auth/login.ts';
import { to } from './settings.ts';
import { forgetFailure } from './ui/actions.tsx';
import { Button, ButtonLink } from './ui/button.tsx';
import { EmptyState, Screen } from './ui/states.tsx';

/**
 * @param path below the root of the page
 * @param needs the operation that a person must be allowed to call
 * @param nav its name in the navigation; absent when other screens link to it
 */
const screen = (path: string, needs: ProtectedOperationId, load: Load, nav?: string) => ({
  path,
  needs,
  nav,
  component: lazy(() => load().catch(() => ({ default: NotLoaded }))),
});

type Load = () => Promise<{ default: FunctionComponent }>;

export const SCREENS = [
  screen('', 'getPackageImports', () => import('./screens/imports/index.tsx'), 'Imports'),
  screen('imports/:id', 'getPackageImport', () => import('./screens/import/index.tsx')),
  screen('imports/:id/mend/:file', 'getFailedFile', () => import('./screens/mend/index.tsx')),
  screen('upload', 'postPackageImport', () => import('./screens/upload/index.tsx'), 'Upload'),
  screen('products', 'getProduct', () => import('./screens/product/index.tsx'), 'Products'),
  screen('products/:id', 'getProduct', () => import('./screens/product/index.tsx')),
  screen('failures', 'getFailures', () => import('./screens/failures/index.tsx'), 'Failures'),
  screen('search', 'getPackageImports', () => import('./screens/search/index.tsx')),
  screen('session', 'getRegulatorSession', () => import('./screens/session/index.tsx'), 'Regulator session'),
  screen('webhook', 'getWebhook', () => import('./screens/webhook/index.tsx'), 'Webhook'),
  screen('statistics', 'getStatistics', () => import('./screens/statistics/index.tsx'), 'Statistics'),
  screen('audit', 'getAuditEvents', () => import('./screens/audit/index.tsx'), 'Audit'),
];

/** An error while a screen is drawn takes its place. Another address draws the screens again. */
export function Screens() {
  const { url, path } = useLocation();
  useEffect(() => forgetFailure, [path]);
  const failedAt = useRef<string | null>(null);
  useErrorBoundary((error) => {
    failedAt.current = url;
    reportError(error);
  });
  if (failedAt.current === url) return <ErrorScreen problem="This screen could not be shown." />;
  failedAt.current = null;
  return (
    <Router onRouteChange={focusScreen}>
      {SCREENS.filter(({ needs }) => can(needs)).map(({ path, component }) => (
        <Route key={path} path={to(path)} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  );
}

/** The link or row that had the focus may be gone: the keyboard and screen readers continue at the new screen. */
function focusScreen(): void {
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true });
}

function NotFound() {
  if (!SCREENS.some(({ needs }) => can(needs)))
    return (
      <Screen title="No permissions">
        <EmptyState title="You have no permissions yet">
          <p>An administrator of the identity service can grant permissions. Log in again afterwards.</p>
        </EmptyState>
      </Screen>
    );
  return (
    <Screen title="Not found">
      <EmptyState title="This page does not exist, or you have no permission to see it">
        <ButtonLink href={to('')}>Show the imports</ButtonLink>
      </EmptyState>
    </Screen>
  );
}

const NotLoaded = () => (
  <ErrorScreen problem="This screen could not be loaded: there was no connection, or the service has a new version." />
);

function ErrorScreen({ problem }: { problem: string }) {
  return (
    <Screen title="Not available">
      <EmptyState title={problem}>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </EmptyState>
    </Screen>
  );
}
