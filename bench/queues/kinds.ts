/** The queues that are measured where somebody has installed them, and what is missing where nobody has. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bullmq } from './bullmq.ts';
import { pgBoss } from './pg-boss.ts';
import { optional, type QueueKind } from './queue.ts';

export const QUEUES: readonly QueueKind[] = [bullmq, pgBoss];

export const INSTALL_PACKAGES = 'npm install --no-save bullmq ioredis pg-boss@12';
export const INSTALL_REDIS = 'apt-get install redis-server';

/** @returns what to install before this queue can be measured; empty when everything is there */
export async function missingFor({ packages, usesRedis }: QueueKind): Promise<string[]> {
  const absent = await Promise.all(
    packages.map((name) =>
      optional(name).then(
        () => [],
        () => [name],
      ),
    ),
  );
  const names = absent.flat();
  return [
    ...(names.length > 0 ? [`the package ${names.join(', ')} (${INSTALL_PACKAGES})`] : []),
    ...(usesRedis && !(await hasRedis()) ? [`redis-server (${INSTALL_REDIS})`] : []),
  ];
}

function hasRedis(): Promise<boolean> {
  return promisify(execFile)('redis-server', ['--version']).then(
    () => true,
    () => false,
  );
}
