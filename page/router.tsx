/** The screens with their paths and permissions. Each is loaded when it is first opened. */
import type { FunctionComponent } from 'preact';
import { lazy, Route, Router } from 'preact-iso';
import type { ProtectedOperationId } from '../src/contract/operations.ts';
import { can } from './auth/permissions.ts';
import { to } from './settings.ts';
import { ButtonLink } from './ui/button.tsx';
import { Screen } from './ui/screen.tsx';
import { EmptyState } from './ui/states.tsx';

export interface ScreenRoute {
  /** Below the root of the page. */
  path: string;
  /** Its name in the navigation; absent when other screens link to it. */
  nav?: string;
  /** The operation that a person must be allowed to call. */
  needs: ProtectedOperationId;
  component: FunctionComponent;
}

export const SCREENS: readonly ScreenRoute[] = [
  {
    path: '',
    nav: 'Imports',
    needs: 'getPackageImports',
    component: lazy(() => import('./screens/imports/index.tsx')),
  },
  {
    path: 'imports/:id',
    needs: 'getPackageImport',
    component: lazy(() => import('./screens/import/index.tsx')),
  },
  {
    path: 'upload',
    nav: 'Upload',
    needs: 'postPackageImport',
    component: lazy(() => import('./screens/upload/index.tsx')),
  },
  {
    path: 'products',
    nav: 'Products',
    needs: 'getProduct',
    component: lazy(() => import('./screens/product/index.tsx')),
  },
  { path: 'products/:id', needs: 'getProduct', component: lazy(() => import('./screens/product/index.tsx')) },
  {
    path: 'session',
    nav: 'Regulator session',
    needs: 'getRegulatorSession',
    component: lazy(() => import('./screens/session/index.tsx')),
  },
  {
    path: 'statistics',
    nav: 'Statistics',
    needs: 'getStatistics',
    component: lazy(() => import('./screens/statistics/index.tsx')),
  },
  {
    path: 'audit',
    nav: 'Audit',
    needs: 'getAuditEvents',
    component: lazy(() => import('./screens/audit/index.tsx')),
  },
];

export function Screens() {
  return (
    <Router>
      {SCREENS.filter(({ needs }) => can(needs)).map(({ path, component }) => (
        <Route key={path} path={to(path)} component={component} />
      ))}
      <Route default component={Nowhere} />
    </Router>
  );
}

function Nowhere() {
  if (!SCREENS.some(({ needs }) => can(needs)))
    return (
      <Screen title="No permissions">
        <EmptyState title="You have no permissions yet.">
          <p>An administrator of the identity service can grant permissions. Log in again afterwards.</p>
        </EmptyState>
      </Screen>
    );
  return (
    <Screen title="Not found">
      <EmptyState title="This page does not exist, or you have no permission to see it.">
        <ButtonLink href={to('')}>Show the imports</ButtonLink>
      </EmptyState>
    </Screen>
  );
}
