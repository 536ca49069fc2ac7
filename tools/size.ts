/** `npm run size`: counts the parts that a new maintainer has to learn, each with its limit. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');
const linesIn = (file: string) => read(file).split('\n').length - 1;
const wordsIn = (file: string) => read(file).split(/\s+/).filter(Boolean).length;
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

const isSource = (file: string) => /\.(ts|tsx|css)$/.test(file);
const isTest = (file: string) => /^(page\/)?test\//.test(file);
const service = files.filter((file) => isSource(file) && !isTest(file) && file !== 'tools/size.ts');
const inService = (pattern: RegExp) => service.filter((file) => pattern.test(read(file)));

/** Statements as texts with `?` or `$1` (decision §postgresql-through-mikroorm). */
const otherSql = inService(/\b(?:em|fork\(\))\s*\.execute\b|\bCompiledQuery\b/);
const scripts: object = JSON.parse(read('package.json')).scripts;
const variables = read('.env.example').match(/^#?[A-Z][A-Z0-9_]*=/gm) ?? [];
const patched = sum(inService(/\bpatched\(/).map((file) => read(file).match(/\bpatched\(/g)?.length ?? 0));

const rows: [what: string, count: number, limit: number | null][] = [
  ['lines of TypeScript, TSX and CSS outside tests', sum(service.map(linesIn)), 36_000],
  [
    'lines of tests and their support',
    sum(files.filter((f) => isSource(f) && isTest(f)).map(linesIn)),
    36_000,
  ],
  ['files outside tests', service.length, null],
  ['variables in .env.example', variables.length, 48],
  ['npm scripts', Object.keys(scripts).length, 18],
  ['migrations', files.filter((file) => /^src\/database\/migrations\/.*\.ts$/.test(file)).length, 1],
  ['calls of patched()', patched, 0],
  ['files with SQL other than by MikroORM and Kysely', otherSql.length, 0],
  [
    'test starters (test/support/starters)',
    files.filter((f) => /^test\/support\/starters\/[^/]+\.ts$/.test(f)).length,
    4,
  ],
  ['words of README.md', wordsIn('README.md'), 700],
  ['words of docs/architecture.md', wordsIn('docs/architecture.md'), 3_500],
];
for (const [what, count, limit] of rows) {
  const against = limit === null ? '' : `of ${limit.toLocaleString('en')}`;
  const mark = limit !== null && count > limit ? '  over' : '';
  process.stdout.write(`${count.toLocaleString('en').padStart(8)} ${against.padEnd(10)} ${what}${mark}\n`);
}
