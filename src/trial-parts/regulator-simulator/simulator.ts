/**
 * A simulated regulator for development and tests: the API of docs/regulator-api.md over real HTTP, with faults on
 * request.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import Koa from 'koa';
import { createTransport } from 'nodemailer';
import { listen } from '../../http/server.ts';
import { GOOD_BEHAVIOUR } from './behaviour.ts';
import { caseRoutes } from './case-routes.ts';
import { controlRoutes } from './control-routes.ts';
import { fail, sessionRoutes } from './session-routes.ts';
import type { Simulation } from './state.ts';
import { SimulatorState } from './state.ts';

interface SimulatorOptions {
  host: string;
  port: number;
  /** File with its state. */
  journal: string;
  username: string;
  password: string;
  /** Mail server for verification codes. The recipient is the user name. */
  smtpUrl: string;
}

export interface RunningSimulator {
  url: string;
  simulation: Simulation;
  close(): Promise<void>;
}

export async function startRegulatorSimulator(options: SimulatorOptions): Promise<RunningSimulator> {
  const { host, port, username, password, smtpUrl } = options;
  const simulation: Simulation = {
    state: await SimulatorState.open(options.journal),
    behaviour: { ...GOOD_BEHAVIOUR },
    calls: [],
    credentials: { username, password },
    // A failed mail does not fail the login. The client can begin a new login.
    mailCode: (code) => mailCode(smtpUrl, username, code).catch(() => {}),
  };
  const app = new Koa();
  app.on('error', () => {}); // Dropped connections are part of the simulation.
  app.use(async (ctx, next) => {
    await next();
    if (ctx.status === 404 && ctx.body == null) fail(ctx, 404, `no route has the path ${ctx.path}`);
  });
  app.use(controlRoutes(simulation));
  app.use(logged(simulation));
  app.use(manners(simulation));
  const api = new Router();
  sessionRoutes(api, simulation);
  caseRoutes(api, simulation);
  app.use(api.routes());
  const server = await listen(app, { host, port });
  return {
    url: `http://${host}:${server.port}`,
    simulation,
    async close() {
      await server.close(500);
      await simulation.state.close();
    },
  };
}

const CALLS_KEPT = 50_000;

/** Logs every call of the API, whatever its outcome. */
function logged({ calls }: Simulation): Koa.Middleware {
  return async (ctx, next) => {
    const at = Date.now();
    try {
      await next();
    } finally {
      const { method, path, status } = ctx;
      const retryAt: number | null = ctx.state.retryAt ?? null;
      calls.push({ at, answered_at: Date.now(), method, path, status, retry_at: retryAt });
      if (calls.length > CALLS_KEPT) calls.splice(0, CALLS_KEPT / 2);
    }
  };
}

/** Latency and unavailability of the whole API. */
function manners({ behaviour }: Simulation): Koa.Middleware {
  return async (ctx, next) => {
    if (behaviour.latency_ms > 0) await sleep(behaviour.latency_ms);
    if (behaviour.unavailable) return fail(ctx, 503, 'the service is not available');
    await next();
  };
}

async function mailCode(smtpUrl: string, to: string, code: string): Promise<void> {
  const transport = createTransport(smtpUrl);
  try {
    await transport.sendMail({
      from: 'no-reply@regulator.example',
      to,
      subject: 'Your verification code',
      text: `Your verification code for the regulator's system is\n\n${code}\n\nIt is valid for this login only.\n`,
    });
  } finally {
    transport.close();
  }
}

/** The part of the regulator session that a login needs. */
interface Sessions {
  logIn(actor: string): Promise<unknown>;
  verify(code: string, actor: string): Promise<{ status: string }>;
}

/**
 * Logs the service in. The simulator's control API gives the code that it has mailed.
 *
 * Runs once, at start. A session that is lost later waits for an operator (decision §the-regulator-is-a-port).
 */
export async function autoLogin(sessions: Sessions, simulatorUrl: string): Promise<void> {
  const actor = 'service:auto-login';
  await sessions.logIn(actor);
  const response = await fetch(`${simulatorUrl}/control/verification-code`);
  const { code } = (await response.json()) as { code: string };
  await sessions.verify(code, actor);
}
