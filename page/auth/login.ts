/**
 * The login: authorization code with PKCE at the identity service. Tokens stay in memory, out of the storage of the
 * browser. A reload logs in again without a question while the identity service has a session.
 */
import { signal } from '@preact/signals';
import { jwtDecode } from 'jwt-decode';
import {
  ErrorResponse,
  InMemoryWebStorage,
  type User,
  UserManager,
  WebStorageStateStore,
} from 'oidc-client-ts';
import { permissionsIn } from '../../src/common/token-claims.ts';
import { OPERATIONS, type ProtectedOperationId } from '../../src/contract/operations.ts';
import { ROOT, settings, to } from '../settings.ts';

interface Person {
  name: string;
  permissions: ReadonlySet<string>;
}

type Login =
  | { state: 'starting' }
  | { state: 'in'; person: Person }
  /** The tokens cannot be renewed: the screen stays, and the page polls nothing more. */
  | { state: 'ended'; person: Person }
  /** @param everywhere whether the identity service has ended its session as well */
  | { state: 'out'; everywhere: boolean }
  | { state: 'failed'; reason: string };

export const login = signal<Login>({ state: 'starting' });

let manager: UserManager | undefined;
let user: User | null = null;

/** Completes a login in progress, or starts one. */
export async function startLogin(): Promise<void> {
  const { issuer, client_id, scope, audience } = settings();
  manager = new UserManager({
    authority: issuer,
    client_id,
    redirect_uri: location.origin + to('callback'),
    post_logout_redirect_uri: location.origin + ROOT,
    response_type: 'code',
    scope,
    // Auth0 and similar services need the audience; others ignore it.
    extraQueryParams: { audience },
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
  });
  manager.events.addAccessTokenExpiring(() => void renewTokens());
  // The earlier renewal may have failed with the network: one more attempt at the end of the token.
  manager.events.addAccessTokenExpired(() => void renew());
  try {
    if (location.pathname === to('callback')) await finish(manager);
    else if (await isLoggedOut(manager)) login.value = { state: 'out', everywhere: true };
    else await logIn();
    // Registered only now: the first tokens arrive with the address to return to.
    manager.events.addUserLoaded(accept);
  } catch (error) {
    login.value = { state: 'failed', reason: (error as Error).message };
  }
}

/** Redirects to the identity service, which returns to the current address. @throws Error when it cannot be reached */
export async function logIn(): Promise<void> {
  const here = location.pathname === to('callback') ? ROOT : location.pathname + location.search;
  await manager?.signinRedirect({ state: here });
}

export async function logOut(): Promise<void> {
  const hint = user?.id_token;
  // The manager forgets it now: the login ends with the access token if the browser stays on this screen.
  if (user) delete user.refresh_token;
  try {
    await manager?.signoutRedirect({ state: 'logout', ...(hint !== undefined && { id_token_hint: hint }) });
  } catch {
    // The identity service cannot be reached, or offers no logout.
    await manager?.removeUser();
  }
  // Also when the browser comes back to this screen, which it may have kept.
  user = null;
  login.value = { state: 'out', everywhere: false };
}

/** Null when nobody is logged in. */
export function accessToken(): string | null {
  return user?.access_token ?? null;
}

let renewing: Promise<boolean> | undefined;

/**
 * Single-flight: concurrent callers share one request. The identity service ends a login whose refresh token is used
 * twice.
 * @returns whether there are new tokens
 */
function renewTokens(): Promise<boolean> {
  renewing ??= requestTokens().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function requestTokens(): Promise<boolean> {
  if (user?.refresh_token === undefined) return false;
  try {
    return Boolean(await manager?.signinSilent());
  } catch (error) {
    // Without an answer of the identity service, the next request tries again.
    if (user && error instanceof ErrorResponse) delete user.refresh_token;
    return false;
  }
}

/**
 * Gets a new token after the end of the old one. The login ends when no refresh token is left.
 * @returns whether there is one
 */
export async function renew(): Promise<boolean> {
  const isRenewed = await renewTokens();
  const { value } = login;
  if (!isRenewed && user?.refresh_token === undefined && value.state === 'in')
    login.value = { state: 'ended', person: value.person };
  return isRenewed;
}

/**
 * Whether the identity service has sent the person here after a logout. It then returns the state of the request. Without
 * the state the person is still logged in there.
 */
async function isLoggedOut(manager: UserManager): Promise<boolean> {
  if (location.pathname !== ROOT || !new URLSearchParams(location.search).has('state')) return false;
  try {
    await manager.signoutRedirectCallback();
    return true;
  } catch {
    return false;
  } finally {
    history.replaceState(null, '', ROOT);
  }
}

async function finish(manager: UserManager): Promise<void> {
  const found = await manager.signinCallback();
  if (!found) throw new Error('The identity service has sent no login data.');
  const back = typeof found.state === 'string' && found.state.startsWith(ROOT) ? found.state : ROOT;
  history.replaceState(null, '', back);
  accept(found);
}

function accept(found: User): void {
  user = found;
  const { name, preferred_username: username, sub } = found.profile;
  login.value = {
    state: 'in',
    person: {
      name: username ?? name ?? sub,
      permissions: permissionsOf(found.access_token, settings().permissions_claim),
    },
  };
}

/** An unreadable token has no permissions. @param claim that of the gateway */
export function permissionsOf(token: string, claim: string | null): ReadonlySet<string> {
  try {
    return permissionsIn(jwtDecode<Record<string, unknown>>(token), claim);
  } catch {
    return new Set();
  }
}

/** Reads a signal: components that call it are drawn again when the permissions change. */
export function can(operation: ProtectedOperationId): boolean {
  const { value } = login;
  return 'person' in value && value.person.permissions.has(OPERATIONS[operation].permission);
}
