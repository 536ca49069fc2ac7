/** Logs the service in with the embedded simulator. The simulator's control API gives the code that it has mailed. */
import { z } from 'zod';

/** The part of the regulator session that a login needs. */
interface Sessions {
  logIn(actor: string): Promise<unknown>;
  verify(code: string, actor: string): Promise<{ status: string }>;
}

const pendingCode = z.object({ code: z.string() });

/** Runs once, at start. A session that is lost later waits for an operator (decision §the-regulator-is-a-port). */
export async function autoLogin(sessions: Sessions, simulatorUrl: string): Promise<void> {
  const actor = 'service:auto-login';
  await sessions.logIn(actor);
  const response = await fetch(`${simulatorUrl}/control/verification-code`);
  const { code } = pendingCode.parse(await response.json());
  await sessions.verify(code, actor);
}
