/** Gateways and workers as processes of their own beside a stack, sharing everything with it but memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../src/bin/node-options.ts';
import type { ChildMessage } from '../../src/bin/process.ts';
import { freePorts } from './free-ports.ts';
import type { TestStack } from './stack.ts';

export interface StackProcess {
  /** Of a gateway. */
  url: string;
  stop(): Promise<void>;
  pid: number;
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** @throws with what the process wrote, when it does not start */
export async function startProcess(
  { config }: TestStack,
  program: 'gateway' | 'worker',
  env: Record<string, string> = {},
): Promise<StackProcess> {
  const [port] = await freePorts(1);
  const child = fork(fileURLToPath(new URL(`../../src/bin/${program}.ts`, import.meta.url)), {
    env: {
      PATH: process.env.PATH,
      XDG_CACHE_HOME: fileURLToPath(new URL('..', `file://${config.cacheDir}/`)),
      PORT: String(port),
      DATA_DIR: config.dataDir,
      DATABASE_URL: config.database.url,
      DATABASE_POOL_SIZE: String(config.database.poolSize),
      ENCRYPTION_SECRET: config.encryptionSecret,
      TEMPORAL_ADDRESS: config.temporal.address,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      AUTH_ISSUER: config.auth.issuer,
      AUTH_JWKS_URL: config.auth.jwksUrl ?? undefined,
      REGULATOR_URL: config.regulator.url,
      SMTP_URL: config.mail.url,
      SHUTDOWN_GRACE_SECONDS: '1',
      LOG_LEVEL: 'error',
      ...env,
    },
    execArgv: [...NODE_OPTIONS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => [{ type: 'failed', reason: 'it ended at once' }]),
  ])) as [ChildMessage];
  if (message.type === 'failed') throw new Error(`${program} did not start: ${message.reason}`);
  return {
    url: message.url ?? '',
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
