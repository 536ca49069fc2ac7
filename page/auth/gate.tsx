import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';
import { logIn, login } from './login.ts';

/** Shows its children after the login. */
export function Gate({ children }: { children: ComponentChildren }) {
  const { value } = login;
  if (value.state === 'in' || value.state === 'ended') return <>{children}</>;
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
        <Button kind="primary" onClick={() => void logIn()}>
          Log in
        </Button>
      </div>
    </main>
  );
}
