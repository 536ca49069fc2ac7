/** The receivers of docs/webhook-signatures.md, in each language that this machine has, against real signatures. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../src/notifications/webhooks/sender.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const MESSAGE = { id: 'msg_1', body: '{"type":"webhook.test","text":"é"}' };
const DIRECTORY = fileURLToPath(new URL('../../../examples/webhooks', import.meta.url));

const PROGRAMS: Readonly<Record<string, [string, ...string[]]>> = {
  JavaScript: [process.execPath, 'verify.mjs'],
  Python: ['python3', 'verify.py'],
  Go: ['go', 'run', 'verify.go'],
  Java: ['java', 'Verify.java'],
};

const VERSION: Readonly<Record<string, string>> = { go: 'version', java: '-version' };
const isThere = (program: string) => spawnSync(program, [VERSION[program] ?? '--version']).status === 0;

/** The exit code. */
function verify(language: string, headers: Record<string, string>, body: string, secret = SECRET) {
  const [program, ...args] = PROGRAMS[language] ?? ['false'];
  const variables = Object.entries(headers).map(([name, value]) => [
    name.toUpperCase().replaceAll('-', '_'),
    value,
  ]);
  const env = { ...process.env, ...Object.fromEntries(variables), WEBHOOK_SECRET: secret };
  const { status, stderr } = spawnSync(program, args, { cwd: DIRECTORY, env, input: body });
  return { status, crashed: /Traceback|Exception|SyntaxError|panic/.test(String(stderr)) };
}

const ACCEPTED = { status: 0, crashed: false };
const REFUSED = { status: 1, crashed: false };

describe.each(Object.entries(PROGRAMS))('a receiver in %s', (language, [program]) => {
  it.skipIf(!isThere(program))(
    'accepts messages of the service, also during a rotation, and no others',
    () => {
      const headers = signedHeaders(MESSAGE, [SECRET]);
      expect(verify(language, headers, MESSAGE.body)).toEqual(ACCEPTED);
      expect(verify(language, signedHeaders(MESSAGE, [OTHER, SECRET]), MESSAGE.body)).toEqual(ACCEPTED);
      expect(verify(language, headers, `${MESSAGE.body} `)).toEqual(REFUSED);
      expect(verify(language, headers, MESSAGE.body, OTHER)).toEqual(REFUSED);
      const late = signedHeaders(MESSAGE, [SECRET], Date.now() - 600_000);
      expect(verify(language, late, MESSAGE.body)).toEqual(REFUSED);
    },
    120_000,
  );
});
