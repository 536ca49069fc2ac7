/** Gateway and workers as they run in production: each a process of its own, beside the rest of a test stack. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { ChildMessage } from '../../../src/bin/process.ts';
import type { TestStack } from '../../support/stack.ts';

export interface ServiceProcess {
  /** Of a gateway. */
  url: string;
  /** Everything that it has written. */
  output(): string;
  terminate(): void;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>;
}

/** Resolves when it is ready. */
export async function startServiceProcess(
  { config }: Pick<TestStack, 'config'>,
  entry: 'gateway' | 'worker',
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const { dataDir, database, temporal, auth, regulator, mail, encryptionSecret = '' } = config;
  const child = fork(fileURLToPath(new URL(`../../../src/bin/${entry}.ts`, import.meta.url)), [], {
    // Away from any .env of this checkout.
    cwd: dataDir,
    execArgv: [],
    stdio: 'pipe',
    env: {
      PATH: process.env.PATH,
      XDG_CACHE_HOME: `${inject('cacheDir')}/..`,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      IAM_PORT: String(auth.port),
      REGULATOR_PORT: String(regulator.port),
      MAIL_PORT: String(mail.port),
      ENCRYPTION_SECRET: encryptionSecret,
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'ready') resolve(message.url ?? '');
      else reject(new Error(message.reason));
    });
    void exited.then((code) => reject(new Error(`the ${entry} ended with ${code}: ${output}`)));
  });
  return {
    url,
    output: () => output,
    terminate: () => void child.kill('SIGTERM'),
    exited,
  };
}
