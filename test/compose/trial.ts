/** The steps of a person who tries the service by deploy/compose.md, and their expected results. */
import { WORKER_ROLES } from '../../src/domain/task-queues.ts';
import type { Checks } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceState, Stack } from './stack.ts';

/** Each container of Keycloak builds itself anew, which takes minutes on a shared machine. */
export const START_MS = 600_000;
const JOBS = ['migrate', 'temporal-schema', 'temporal-namespace'];
const MAIL = 'someone@company.example';
/** The processes of the service that last. */
export const LASTING = ['gateway', ...WORKER_ROLES.map((role) => `worker-${role}`)];

export async function checkStart(stack: Stack, checks: Checks): Promise<void> {
  await stack.page(['start']);
  await checkStates(stack, checks);
  const published = (await stack.states()).flatMap(({ Publishers }) => Publishers ?? []);
  checks.none(
    'no port is open to other machines',
    published
      .filter(({ URL, PublishedPort }) => PublishedPort > 0 && URL !== '127.0.0.1')
      .map(({ URL, PublishedPort }) => `${URL}:${PublishedPort}`),
  );
  for (const [what, service, path] of [
    ['the API page, through edge', 'edge', '/api/doc'],
    ['the web page, through edge', 'edge', '/app/'],
    ["Temporal's Web UI", 'temporal-ui', '/'],
    ["what Temporal's Web UI asks its server", 'temporal-ui', '/api/v1/namespaces/default'],
  ] as const) {
    const { status } = await fetch(`http://localhost:${stack.ports[service]}${path}`);
    checks.that(`${what} answers 200`, status === 200, status);
  }
}

/**
 * Waits until all containers are healthy.
 * @param more services of additional profiles
 */
export async function checkStates(stack: Stack, checks: Checks, more: readonly string[] = []): Promise<void> {
  const expected = [...(await stack.compose(['config', '--services'])).trim().split('\n'), ...more];
  await eventually(async () => (await stack.states()).every(isWell), START_MS).catch(() => null);
  const states = await stack.states();
  for (const name of [...new Set(expected)].sort()) {
    const all = states.filter(({ Service }) => Service === name);
    const becomes = JOBS.includes(name) ? 'has ended with 0' : all[0]?.Health ? 'is healthy' : 'runs';
    checks.that(`${name} ${becomes}`, all.length > 0 && all.every(isWell), all);
  }
}

function isWell({ Service, State, Health, ExitCode }: ServiceState): boolean {
  if (JOBS.includes(Service)) return State === 'exited' && ExitCode === 0;
  return State === 'running' && (Health === '' || Health === 'healthy');
}

/** Logs in and imports with the page's commands. @returns the import's ID */
export async function checkImport(stack: Stack, checks: Checks): Promise<number> {
  const { stdout: session } = await stack.page(['token', 'log-in']);
  checks.that(
    'the page logs the service in with the regulator',
    /"status": *"active"/.test(session),
    session,
  );
  const { stdout, status } = await stack.page(['token', 'upload']);
  const answer = JSON.parse(stdout) as { data?: { id: number; submissions: unknown[] } };
  const id = answer.data?.id ?? 0;
  checks.that(
    'curl uploads the example package, and the answer, 200, lists its products',
    status === 200 && id > 0 && (answer.data?.submissions.length ?? 0) > 0,
    [status, stdout],
  );
  const mail = await eventually(async () => {
    const latest = await fetch(`http://localhost:${stack.ports.mailpit}/api/v1/message/latest`);
    const { Subject, To = [] } = (await latest.json()) as { Subject?: string; To?: { Address: string }[] };
    return Subject?.startsWith(`Package import ${id}:`) && { Subject, to: To.map(({ Address }) => Address) };
  }, START_MS).catch(() => null);
  checks.that('the summary is in the mail catcher', mail?.to.includes(MAIL) === true, mail);
  return id;
}

/** Stops and removes the containers with the page's commands, and starts them again with the data of the volumes. */
export async function checkRestart(stack: Stack, id: number, checks: Checks): Promise<void> {
  const before = await eventually(async () => {
    const shown = await importOf(stack, id);
    return shown.includes('"status":"completed"') && shown;
  }, START_MS).catch(() => importOf(stack, id));
  checks.that(`import ${id} is completed`, before.includes('"status":"completed"'), before);
  await stack.compose(['stop', ...LASTING]);
  const stopped = (await stack.states()).filter(({ Service }) => LASTING.includes(Service));
  checks.none(
    'gateway and workers end with 0',
    stopped
      .filter(({ State, ExitCode }) => State !== 'exited' || ExitCode !== 0)
      .map(({ Service, State, ExitCode }) => `${Service} ${State} ${ExitCode}`),
  );
  const logged = (await stack.compose(['logs', '--no-log-prefix', '--no-color', ...LASTING])).split('\n');
  checks.none('and nothing logged an error', logged.filter(isError));
  await stack.page(['stop']);
  checks.none(
    'down leaves no container',
    (await stack.states()).map(({ Service }) => Service),
  );
  await stack.page(['start']);
  await checkStates(stack, checks);
  checks.that('the import is there again, the same', (await importOf(stack, id)) === before);
}

/** Whether a line of a log has the level `error` or `fatal` (pino). */
const isError = (line: string) => /^\{"level":[56]0,/.test(line);

async function importOf(stack: Stack, id: number): Promise<string> {
  const url = `localhost:8080/regulator/package-imports/${id}?view=summary`;
  return (await stack.page(['token'], `curl -fsS -H "Authorization: Bearer $TOKEN" "${url}"`)).stdout;
}

export async function checkTornDown(stack: Stack, checks: Checks): Promise<void> {
  await stack.compose(['--profile', 'observability', 'down', '--volumes']);
  checks.none(
    'down leaves no container',
    (await stack.states()).map(({ Service }) => Service),
  );
  checks.none('down --volumes leaves no data', await stack.volumes());
}
