/** A gateway or a worker as a separate process, as in production. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/index.ts';
import { type ChildMessage, NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import { CACHE_DIRECTORY } from './cache-directory.ts';
import { collectText } from './child-output.ts';

export type StackProgram = 'gateway' | 'worker';

export interface StackProcess {
  pid: number;
  /** URL of a gateway. */
  url: string;
  port: number;
  /** All of its output, including logs. */
  output(): string;
  /** Requests a stop. */
  terminate(): void;
  /** Requests a stop and waits for the end. */
  stop(): Promise<void>;
  /** Kills it at any point. */
  kill(): Promise<void>;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>;
}

/**
 * Resolves when it is ready.
 *
 * @throws with the output of the process, when it does not start
 */
export async function launchStackProcess(
  config: Config,
  program: StackProgram,
  env: Record<string, string> = {},
): Promise<StackProcess> {
  const { dataDir, database, temporal, auth, regulator, mail } = config;
  const child = fork(fileURLToPath(new URL(`../../src/processes/${program}.ts`, import.meta.url)), [], {
    // Outside the checkout, so that no .env of it is read.
    cwd: dataDir,
    execArgv: [...NODE_OPTIONS],
    stdio: 'pipe',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CACHE_HOME: `${CACHE_DIRECTORY}/..`,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: String(database.poolSize),
      ENCRYPTION_SECRET: config.encryptionSecrets?.join(',') ?? '',
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      AUTH_ISSUER: auth.issuer,
      AUTH_JWKS_URL: auth.jwksUrl ?? '',
      REGULATOR_URL: regulator.url,
      SMTP_URL: mail.url,
      REGULATOR_RATE_PER_SECOND: String(regulator.ratePerSecond ?? 0),
      ...env,
    },
  });
  const output = collectText(child.stdout, child.stderr);
  const exited = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'ready') resolve(message.url ?? '');
      else reject(new Error(message.reason));
    });
    void exited.then((code) => reject(new Error(`the ${program} ended with ${code}: ${output()}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    url,
    port: Number(url && new URL(url).port),
    output,
    terminate: () => void child.kill('SIGTERM'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    exited,
  };
}
