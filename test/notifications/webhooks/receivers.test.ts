/** The receivers of docs/webhook-signatures.md, in each language that this machine has, against real signatures. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../src/notifications/webhooks/sender.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const MESSAGE = { id: 'msg_1', body: '{"type":"webhook.test","text":"é"}' };
const DIRECTORY = fileURLToPath(new URL('../../../examples/webhooks', import.meta.url));

/** Compiled programs. */
const built = await temporaryDirectory();

interface Receiver {
  /** Compiles it once for all runs. */
  compile?: [string, ...string[]];
  run: [string, ...string[]];
}

const PROGRAMS: Readonly<Record<string, Receiver>> = {
  JavaScript: { run: [process.execPath, 'verify.mjs'] },
  Python: { run: ['python3', 'verify.py'] },
  Go: { compile: ['go', 'build', '-o', join(built, 'verify'), 'verify.go'], run: [join(built, 'verify')] },
  Java: { compile: ['javac', '-d', built, 'Verify.java'], run: ['java', '-cp', built, 'Verify'] },
};

const VERSION: Readonly<Record<string, string>> = { go: 'version', javac: '-version' };
const isThere = (program: string) => spawnSync(program, [VERSION[program] ?? '--version']).status === 0;

/** The exit code. */
function verify(
  language: string,
  headers: Record<string, string | undefined>,
  body: string,
  secret = SECRET,
) {
  const [program, ...args] = PROGRAMS[language]?.run ?? ['false'];
  const variables = Object.entries(headers).map(([name, value]) => [
    name.toUpperCase().replaceAll('-', '_'),
    value,
  ]);
  const env = { ...process.env, ...Object.fromEntries(variables), WEBHOOK_SECRET: secret };
  const { status, stderr } = spawnSync(program, args, { cwd: DIRECTORY, env, input: body });
  return { status, crashed: /Traceback|Exception|Error:|panic/.test(String(stderr)) };
}

const ACCEPTED = { status: 0, crashed: false };
const REFUSED = { status: 1, crashed: false };

describe.each(Object.entries(PROGRAMS))('a receiver in %s', (language, { compile, run }) => {
  it.skipIf(!isThere((compile ?? run)[0]))(
    'accepts messages of the service, also during a rotation, and no others',
    () => {
      if (compile) execFileSync(compile[0], compile.slice(1), { cwd: DIRECTORY });
      const headers = signedHeaders(MESSAGE, [SECRET]);
      expect(verify(language, headers, MESSAGE.body)).toEqual(ACCEPTED);
      expect(verify(language, signedHeaders(MESSAGE, [OTHER, SECRET]), MESSAGE.body)).toEqual(ACCEPTED);
      expect(verify(language, headers, `${MESSAGE.body} `)).toEqual(REFUSED);
      expect(verify(language, headers, MESSAGE.body, OTHER)).toEqual(REFUSED);
      const late = signedHeaders(MESSAGE, [SECRET], Date.now() - 600_000);
      expect(verify(language, late, MESSAGE.body)).toEqual(REFUSED);
      // Anybody may send anything: an error would end a receiver without a handler for it.
      for (const strange of [undefined, 'v1,é!', '']) {
        const signed = { ...headers, 'webhook-signature': strange };
        expect(verify(language, signed, MESSAGE.body)).toEqual(REFUSED);
      }
      for (const strange of [undefined, 'now', '9'.repeat(5_000)]) {
        const timed = { ...headers, 'webhook-timestamp': strange };
        expect(verify(language, timed, MESSAGE.body)).toEqual(REFUSED);
      }
    },
    120_000,
  );
});
