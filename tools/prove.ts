/**
 * `npm run prove -- <name> [argument …]`: runs a proof that takes too long for `npm test`, needs tools that
 * not every machine has, or records files of the repository. `npm run prove -- --list` lists the proofs; `npm
 * run prove -- <name> --help` prints the arguments of one.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Proof {
  /** One line, as `--list` shows it. */
  title: string;
  /** Arguments of Node: options of V8, a program, and its own arguments. */
  command: readonly string[];
  env?: Record<string, string>;
}

const vitest = (...args: string[]) => ['node_modules/vitest/vitest.mjs', 'run', ...args];
const largeTest = (name: string) =>
  vitest('--config', 'test/large/vitest.config.ts', `test/large/${name}.ts`);

const PROOFS: Readonly<Record<string, Proof>> = {
  long: {
    title:
      'long tests: restored backups, batches that are lost, large packages, fairness, lost readings and attempts',
    command: vitest('--project=long'),
  },
  chaos: {
    title: 'faults of every kind during uploads; nothing may be lost or doubled (--short)',
    command: ['test/chaos/command.ts'],
  },
  overload: {
    title: 'a flood of requests; a well-behaved client must still get answers (--short)',
    command: ['--max-old-space-size=4096', 'test/overload/command.ts'],
  },
  fuzz: {
    title: 'random faulty packages for the reader (--seconds 60)',
    command: ['test/fuzz/command.ts'],
  },
  mutants: {
    title: "mutation test: changes one rule at a time and expects a test to fail (part of a rule's name …)",
    command: ['test/mutants/command.ts'],
  },
  large: {
    title: '10,000 products through the whole service',
    command: vitest('--project=long', 'test/end-to-end/large-import.test.ts'),
    env: { LARGE_IMPORT_PRODUCTS: process.env.LARGE_IMPORT_PRODUCTS ?? '10000' },
  },
  plans: {
    title: 'times and plans of queries over millions of submissions (--rows 10000000)',
    command: ['test/large/plans.ts'],
  },
  'page-memory': {
    title: 'memory of the page: every screen, open for an hour by a fast clock',
    command: largeTest('page-memory'),
  },
  'page-speed': {
    title: 'speed of the page with 10,000 imports and 10,000 products',
    command: largeTest('page-speed'),
  },
  schemathesis: {
    title: 'the API compared with its description by Schemathesis (Python)',
    command: ['test/schemathesis/run.ts'],
  },
  'python-client': {
    title: 'a client generated from the API description, in Python',
    command: ['test/python-client/run.ts'],
  },
  keycloak: {
    title: 'tokens and logins of a real Keycloak (Java, Maven, Chromium)',
    command: ['test/keycloak/run.ts'],
  },
  image: {
    title: 'the container images, built and searched',
    command: ['test/image/run.ts'],
  },
  compose: {
    title: 'docker-compose.yml, started and used',
    command: ['test/compose/run.ts'],
  },
  kubernetes: {
    title: 'deploy/kubernetes on the control plane of Kubernetes, with nodes that only pretend (needs Go)',
    command: ['test/kubernetes/command.ts'],
  },
  cluster: {
    title: 'two nodes of the real Temporal server, an archive in a bucket, a rolling restart (needs Go)',
    command: ['test/cluster/command.ts'],
  },
  simulate: {
    title: 'machines and costs for a number of products per day (--products-per-day 1000000)',
    command: ['bench/simulate.ts'],
  },
  'record-release': {
    title: 'record workflow histories, rows and statements of the version in package.json',
    command: vitest('--config', 'test/support/record-release.config.ts'),
  },
  pictures: {
    title: 'record the pictures of docs/',
    command: vitest(
      'test/end-to-end/web-ui.test.ts',
      'test/notifications/mail/mail-page.test.ts',
      'test/page',
    ),
    env: { RECORD_PICTURES: '1' },
  },
};

const [name, ...args] = process.argv.slice(2);
const proof = Object.hasOwn(PROOFS, name ?? '') ? PROOFS[name as string] : undefined;
if (proof !== undefined) run(proof);
else list(name);

function run({ command, env }: Proof): void {
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 1));
}

function list(asked: string | undefined): void {
  const width = Math.max(...Object.keys(PROOFS).map((one) => one.length));
  const lines = Object.entries(PROOFS).map(([one, { title }]) => `  ${one.padEnd(width)}  ${title}`);
  const isUnknown = asked !== undefined && asked !== '--list';
  if (isUnknown) process.stderr.write(`There is no proof "${asked}".\n`);
  process.stdout.write(`npm run prove -- <name> [argument …]\n\n${lines.join('\n')}\n`);
  process.exitCode = isUnknown ? 2 : 0;
}
