/** Each program is checked for the parts that it uses, and needs nothing of the others. */
import { describe, expect, it } from 'vitest';
import { loadConfig, type Program } from '../../src/config/index.ts';

const load = (program: Program, env: Record<string, string>) => loadConfig(env, '/somewhere', program);

/** Addresses and secrets of every part, on other machines. */
const PARTS = {
  database: { DATABASE_URL: 'postgresql://u:of-the-test@db.example/x?sslmode=verify-full' },
  temporal: { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' },
  auth: { AUTH_ISSUER: 'https://iam.example' },
  regulator: { REGULATOR_URL: 'https://regulator.example', REGULATOR_PASSWORD: 'of-the-test' },
  mail: { SMTP_URL: 'smtps://u:of-the-test@mail.example' },
};

const worker = (role: string) => ['worker', { WORKER_ROLES: role }] as const;
const used: [string, readonly [Program, Record<string, string>], (keyof typeof PARTS)[]][] = [
  ['npm start', ['whole service', {}], ['database', 'temporal', 'auth', 'regulator', 'mail']],
  ['the gateway', ['gateway', {}], ['database', 'temporal', 'auth', 'regulator']],
  ['the import worker', worker('package-import'), ['database', 'temporal', 'regulator', 'mail']],
  ['the reading worker', worker('package-reading'), ['database', 'temporal']],
  ['the insert worker', worker('regulator-insert'), ['database', 'temporal', 'regulator']],
  ['the migration', ['migration', {}], ['database']],
];

describe.each(used)('%s', (_, [program, own], parts) => {
  const complete = Object.assign({}, own, ...parts.map((part) => PARTS[part])) as Record<string, string>;

  it.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://import.example/api' }])(
    'needs no part that it does not use, and no trial part in place of one that it does: %o',
    (open: Record<string, string>) => {
      expect(() => load(program, { ...open, ...complete })).not.toThrow();
      for (const part of parts) {
        const [name = ''] = Object.keys(PARTS[part]);
        const { [name]: _missing, ...others } = complete;
        const [setting] = Object.entries(open).map(([key, value]) => `${key}=${value} is open`);
        expect(() => load(program, { ...open, ...others })).toThrow(`${setting} to other machines, but`);
        expect(() => load(program, { ...open, ...others })).toThrow(`set ${name}, or ALLOW_DEMO_PARTS=true`);
        expect(() => load(program, { ...open, ...others, ALLOW_DEMO_PARTS: 'true' })).not.toThrow();
        expect(() => load(program, others)).not.toThrow();
      }
    },
  );
});

it('a public address on this machine opens nothing', () => {
  expect(() => loadConfig({ PUBLIC_URL: 'http://localhost:9000' })).not.toThrow();
});

it('secrets of the regulator that reading does not use are not checked', () => {
  const env = {
    HOST: '0.0.0.0',
    WORKER_ROLES: 'package-reading',
    ...PARTS.database,
    ...PARTS.temporal,
    REGULATOR_URL: 'http://regulator.example',
    ENCRYPTION_SECRET: 'change-me-change-me',
  };
  expect(() => load('worker', env)).not.toThrow();
  expect(load('worker', env).encryptionSecrets).toBeNull();
  const inserts = () => load('worker', { ...env, WORKER_ROLES: 'regulator-insert' });
  expect(inserts).toThrow(/REGULATOR_URL: must be https/);
  expect(inserts).toThrow(/ENCRYPTION_SECRET: the secret is published/);
  expect(inserts).toThrow(/REGULATOR_PASSWORD: the secret is published/);
});
