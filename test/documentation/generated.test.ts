/** Pages that are written from the code (npm test -- test/documentation -u), and variables that pages name. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { PACKAGE_LIMITS } from '../../src/archive/limits.ts';
import { CONSTANTS } from '../../src/config/constants.ts';
import { CONFIG_VARIABLES } from '../../src/config/index.ts';
import { GROUPS } from '../../src/config/variables.ts';
import { aboutError, ERROR_CODES } from '../../src/contract/error-codes.ts';
import { REPEATS } from '../../src/contract/error-texts.ts';
import { FILES_PER_DAY, IDEMPOTENCY_KEY_LENGTH } from '../../src/contract/limits.ts';
import {
  HISTORY_CHECKS,
  PRODUCT_CHECKS,
  type ProductCheck,
  sourceOf,
  warnsWhen,
} from '../../src/contract/product-checks.ts';
import { STANDARD } from '../deploy/support.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const WIDTH = 118;
const RULE = 112;

const INTRODUCTION = `Every variable of the service, with its default. Uncomment a line to change its value. An empty value
counts as not set.

\`npm start\`, the gateway, the workers and Docker Compose read \`.env\`. The environment takes precedence over it. In
containers, addresses have the defaults of docker-compose.yml. Written from src/config/variables.ts: npm test -- test/documentation -u`;

interface Described {
  name: string;
  default: string | null;
  about: string;
}

/**
 * Docker Compose reads these, and no process of the service. deploy/compose-secrets.sh explains the generated passwords
 * that no person enters.
 */
const OF_COMPOSE: readonly Described[] = [
  {
    name: 'TRIAL_PASSWORD',
    default: null,
    about:
      "Password for trials: of Keycloak's people operator and uploader, and of its clients demo-client, no-permission and other-company. It is also the REGULATOR_PASSWORD if that is not set.",
  },
  {
    name: 'COMPOSE_OWNER_URL',
    default: null,
    about:
      'DATABASE_URL of the migration, with the owner of the tables. Set it together with DATABASE_URL. Not set: DATABASE_URL, if that is set.',
  },
];

const COMPOSE_VARIABLES = OF_COMPOSE.map(({ name }) => name);

function envExample(): string {
  const groups = GROUPS.map(({ title, about, variables }) =>
    section(
      title,
      about,
      Object.entries(variables).map(([name, variable]) => ({ name, ...variable })),
    ),
  );
  const compose = section(
    'Docker Compose only',
    'deploy/compose-secrets.sh generates TRIAL_PASSWORD and the passwords that it explains itself. Nothing starts without them.',
    OF_COMPOSE,
  );
  return `${[comment(INTRODUCTION), ...groups, compose].join('\n\n')}\n`;
}

function section(title: string, about: string | undefined, variables: readonly Described[]): string {
  const rule = `# --- ${title} ${'-'.repeat(RULE - title.length - 6)}`;
  const lines = variables.map((one) => `${comment(one.about)}\n#${one.name}=${one.default ?? ''}`);
  return `${[rule, ...(about ? [comment(about)] : [])].join('\n')}\n\n${lines.join('\n')}`;
}

/** Lines that are there stay; longer ones are broken between words. */
function comment(text: string): string {
  return text.split('\n').flatMap(wrap).join('\n');
}

function wrap(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ').filter(Boolean)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

const ERROR_CODES_INTRODUCTION = `# Error codes

Every error answer has the envelope (interface §2.3) and one of these words in \`data.code\`. **Programs distinguish errors by the
code**, people read \`message\`. A code is never renamed or given another meaning. New codes may be added: handle an unknown code
by its HTTP status. \`data.id\` is present if an import exists: its result is at \`GET /regulator/package-imports/{id}\`. The
line of a code names its further fields.

\`data.doc_url\` leads to this text at the service itself, with an example: \`{base}/api/doc/errors#code\`. Both are made from
\`src/contract/error-texts.ts\`.

May the same request be repeated?
${Object.entries(REPEATS)
  .map(([repeat, text]) => `\n- *${repeat}*: ${text}`)
  .join('')}

| code | HTTP | meaning, what to do | repeat |
|---|---|---|---|
`;

it('docs/error-codes.md has a line for each code, with its status and what to do', async () => {
  const lines = ERROR_CODES.map((code) => {
    const { status, meaning, action, repeat } = aboutError(code);
    return `| \`${code}\` | ${status} | ${meaning} ${action} | ${repeat} |\n`;
  });
  const page = ERROR_CODES_INTRODUCTION + lines.join('');
  await expect(page).toMatchFileSnapshot(inRepository('docs/error-codes.md'));
});

const CHECKS_INTRODUCTION = `# Checks of products

A check finds a value that the format allows but a regulator would reject or question. Each finding is a **warning** on the submission
(its JSON, the summary mail, a dry run). The field \`check\` of the warning has the check's name; as a text, the warning ends in it.
Warnings do not stop the import. If \`REFUSED_PRODUCT_CHECKS\` names the check, its **file is refused** for the same reason.

\`\`\`sh
REFUSED_PRODUCT_CHECKS=nicotine_concentration,launch_date npm start   # or: all
\`\`\`

A missing value, or one that is no number or date, fails none of these checks unless its line says so: the schema covers it
([reading-packages.md](reading-packages.md)). A test generates this page from \`src/contract/product-checks.ts\`.
`;

const HISTORY_INTRODUCTION = `## Against what was inserted before

Code: \`src/products/history-checks.ts\`, one function per check. A finding says what was found, what is expected, and which submission type
would fit.

- A product is compared with its last submission that the regulator has accepted. An unchanged product is not sent, so it is not
  judged.
- The service shows only the existence of another tenant's submission. The checks of presentations and of the year then find nothing.
  A \`PreviousProductID\` of another submitter is not looked up.
- A presentation is known by its market, brand, subtype and product number.
- The checks need no raw XML, so they find the same after its retention. More than 128 KiB of presentations are not compared.
- The service does not know products that were notified by other means. If \`unknown_product\` refuses, their updates are refused.
`;

const VALUES_INTRODUCTION = `## Of the file alone

Code: \`src/products/product-checks.ts\`.
`;

const isOfHistory = (check: ProductCheck) => (HISTORY_CHECKS as readonly ProductCheck[]).includes(check);

/** Names of elements in code style. */
const withElements = (text: string) => text.replaceAll(/\b(?:[A-Z][a-z]+){2,}(?:ID)?\b/g, '`$&`');

function tableOf(checks: readonly ProductCheck[]): string {
  const lines = checks.map(
    (check) => `| \`${check}\` | ${withElements(warnsWhen(check))} | ${sourceOf(check)} |`,
  );
  return `${['| check | warns when | source |', '|---|---|---|', ...lines].join('\n')}\n`;
}

const { entries, products, ratio } = PACKAGE_LIMITS;
const inPages = (limit: number) => limit.toLocaleString('en');

it.each([
  ['docs/interface.md', `web page | ${inPages(CONSTANTS.quotas.requestsPerMinute)} a minute`],
  ['docs/interface.md', `${inPages(FILES_PER_DAY)} a day`],
  ['docs/interface.md', `${IDEMPOTENCY_KEY_LENGTH} characters`],
  [
    'docs/interface.md',
    `a failed one | 90 days (configurable); ${CONSTANTS.archive.failedRetentionDays} days`,
  ],
  ['docs/reading-packages.md', `${inPages(entries)} entries or ${inPages(products)} product files`],
  ['docs/reading-packages.md', `more than ${ratio} : 1 compression`],
])('%s has the limit of the code: %s', async (page, limit) => {
  expect(await read(page)).toContain(limit);
});

it('docs/product-checks.md has a line for each check', async () => {
  const page = [
    CHECKS_INTRODUCTION,
    VALUES_INTRODUCTION,
    tableOf(PRODUCT_CHECKS.filter((check) => !isOfHistory(check))),
    HISTORY_INTRODUCTION,
    tableOf(HISTORY_CHECKS),
  ];
  await expect(page.join('\n')).toMatchFileSnapshot(inRepository('docs/product-checks.md'));
});

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('.env.example', () => {
  it('equals the tables of variables (npm test -- test/documentation -u writes it)', async () => {
    await expect(envExample()).toMatchFileSnapshot('../../.env.example');
  });

  it('lists each variable once', () => {
    const names = [...CONFIG_VARIABLES, ...COMPOSE_VARIABLES];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('README.md', () => {
  it('names only variables that exist', async () => {
    const readme = await read('README.md');
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !CONFIG_VARIABLES.includes(name) && !STANDARD.test(name))).toEqual([]);
  });
});

it('the PrometheusRule for Kubernetes has the alerts of Prometheus', async () => {
  const alerts: object = parse(await readFile(inRepository('deploy/prometheus/alerts.yml'), 'utf8'));
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'package-import', labels: { 'app.kubernetes.io/name': 'package-import' } },
    spec: alerts,
  };
  const about = '# Written from deploy/prometheus/alerts.yml: npm test -- test/documentation -u';
  await expect(`${about}\n${stringify(rule, { lineWidth: 0 })}`).toMatchFileSnapshot(
    inRepository('deploy/kubernetes/components/prometheus-operator/prometheus-rule.yaml'),
  );
});
