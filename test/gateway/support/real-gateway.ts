/** `src/bin/gateway.ts` as it runs in production: a process of its own beside the rest of a test stack. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildMessage } from '../../../src/bin/process.ts';
import type { TestStack } from '../../support/stack.ts';

export interface RealGateway {
  url: string;
  port: number;
  /** Everything that it has written, logs included. */
  output(): string;
  terminate(): void;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>;
}

export async function startRealGateway(
  { config }: TestStack,
  env: Record<string, string> = {},
): Promise<RealGateway> {
  const { dataDir, database, temporal, auth, regulator, mail, encryptionSecret = '' } = config;
  const entry = fileURLToPath(new URL('../../../src/bin/gateway.ts', import.meta.url));
  const child = fork(entry, [], {
    // Away from any .env of this checkout.
    cwd: dataDir,
    execArgv: [],
    stdio: 'pipe',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      IAM_PORT: String(auth.port),
      REGULATOR_PORT: String(regulator.port),
      MAIL_PORT: String(mail.port),
      ENCRYPTION_SECRET: encryptionSecret,
      LOG_LEVEL: 'trace',
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
    void exited.then((code) => reject(new Error(`the gateway ended with ${code}: ${output}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    output: () => output,
    terminate: () => void child.kill('SIGTERM'),
    exited,
  };
}
