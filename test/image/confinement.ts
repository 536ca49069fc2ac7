/** Permissions of our containers on the machine, and their health checks. */
import { randomUUID } from 'node:crypto';
import type { Engine } from '../../tools/image/engine.ts';
import type { Checks } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import type { Container, Containers } from './containers.ts';

/** Status of process 1 (proc_pid_status(5)). */
const CONFINED = {
  Uid: '1000\t1000\t1000\t1000',
  Gid: '1000\t1000\t1000\t1000',
  CapEff: '0000000000000000',
  CapPrm: '0000000000000000',
  CapBnd: '0000000000000000',
  NoNewPrivs: '1',
};

const PLACES = ['/app/src', '/app/.cache', '/etc', '/data', '/home/node'];

/** @param alone whether no network but the loopback is there */
export async function checkConfinement(
  { name, inside }: Container,
  alone: boolean,
  checks: Checks,
): Promise<void> {
  const part = name.replace(/^.*-\d+-/, '');
  const status = await inside(['cat', '/proc/1/status']);
  const shown = Object.keys(CONFINED).map((key) => [
    key,
    new RegExp(`^${key}:\\t(.+)$`, 'm').exec(status)?.[1],
  ]);
  const wrong = shown.filter(([key, value]) => CONFINED[key as keyof typeof CONFINED] !== value);
  checks.none(`${part}: has no privilege`, wrong.map(String));
  const attempt = PLACES.map((place) => `touch ${place}/${randomUUID()} 2>/dev/null && echo ${place}`).join(
    '; ',
  );
  const written = await inside(['sh', '-c', `${attempt}; true`]);
  checks.none(`${part}: can write nowhere but to its volume and /tmp`, written.split('\n').filter(Boolean));
  if (!alone) return;
  const interfaces = (await inside(['ls', '/sys/class/net'])).split(/\s+/).filter(Boolean);
  checks.none(
    `${part}: has no network but the loopback`,
    interfaces.filter((one) => one !== 'lo'),
  );
}

/** The image's check succeeds for a gateway, and for nothing else. */
export async function checkHealth(
  engine: Pick<Engine, 'isHealthy'>,
  containers: Containers,
  gateway: Container,
  tag: string,
  checks: Checks,
): Promise<void> {
  const isHealthy = () => engine.isHealthy(gateway.name);
  checks.that('the health check succeeds for the gateway', await eventually(isHealthy).catch(() => false));
  const idle = containers.start('idle', {
    tag,
    env: { HEALTH_PORT: '1' },
    healthcheck: true,
    command: ['node', '--eval', 'console.log("runs"); setInterval(() => {}, 60_000)'],
  });
  await eventually(async () => idle.output().includes('runs'));
  checks.that('and fails where none answers', !(await engine.isHealthy(idle.name)));
  await idle.terminate();
  await idle.exited;
}
