/** Permissions of the containers: ours on the machine, Temporal in the database. */
import type { Checks } from '../support/checks.ts';
import type { Stack } from './stack.ts';

export async function checkConfinement(stack: Stack, checks: Checks): Promise<void> {
  const ours = [
    'gateway',
    'worker-package-import',
    'worker-package-reading',
    'worker-regulator-insert',
    'regulator-simulator',
  ];
  for (const name of ours) {
    const script =
      'id -u; grep -E "^(CapEff|NoNewPrivs)" /proc/1/status; touch /app/x /etc/x 2>&1; touch /tmp/x && echo writes';
    const said = await stack.compose(['exec', '-T', name, 'sh', '-c', script]);
    const holds =
      /^1000$/m.test(said) &&
      /CapEff:\s+0+$/m.test(said) &&
      /NoNewPrivs:\s+1/.test(said) &&
      said.match(/Read-only file system/g)?.length === 2 &&
      said.includes('writes');
    checks.that(`${name}: user 1000, no privilege, a read-only root, and /tmp`, holds, said);
  }
  const attempt = ['sh', '-c', 'touch /data/archive/x 2>&1 || true'];
  const reading = await stack.compose(['exec', '-T', 'worker-regulator-insert', ...attempt]);
  checks.that(
    'worker-regulator-insert reads the archive and cannot write to it',
    /Read-only/.test(reading),
    reading,
  );
  const query = (database: string) => [
    ...['exec', '-T', '--env', `PGPASSWORD=${stack.secrets.COMPOSE_TEMPORAL_PASSWORD}`, 'postgres'],
    ...['psql', '--host=127.0.0.1', '--username=temporal', '--dbname', database, '--command', 'select 1'],
  ];
  await stack.compose(query('temporal'));
  const refused = await stack.compose(query('package_import')).then(
    () => 'let in',
    (error: Error) => error.message,
  );
  checks.that("Temporal's database user is kept out of ours", /permission denied/.test(refused), refused);
}
