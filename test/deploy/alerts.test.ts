/**
 * Each alert fires when it should and no other does, and none fires without a fault. Prometheus' own `promtool` evaluates
 * the rules over synthetic series. `.ci/programs` brings it.
 */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { aboutError, ERROR_CODES, type ErrorCode } from '../../src/contract/error-codes.ts';
import { WORKER_ROLES } from '../../src/domain/task-queues.ts';
import { anchorsOf } from '../documentation/pages.ts';
import { findProgram } from '../support/found-program.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { readText } from './support.ts';

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}

const ALERTS = 'deploy/prometheus/alerts.yml';
const { groups } = parse(await readText(ALERTS)) as Rules;
const alerts = groups.flatMap(({ rules }) => rules);

it.each(alerts)('$alert has a description with a remedy', async ({ annotations }) => {
  const { runbook_url: url = '' } = annotations;
  const [page = '', anchor = ''] = url.split('#');
  expect(anchorsOf(await readText(page))).toContain(anchor);
});

/** Per minute for two hours, in promtool's notation; `null` for a series that is not there. */
type Series = Record<string, string | null>;

const steady = (value: number) => `${value}x120`;
const growing = (each: number) => `0+${each}x120`;

const HTTP = 'package_import_http_errors_total';
const REGULATOR = 'package_import_regulator_request_duration_seconds_count';
const ENDED = (how: string) => `temporal_workflow_${how}_total{workflow_type="regulator-insert"}`;
const WORKERS = (role: string) => `package_import_workers{role="${role}",instance="g"}`;
const LATENCY = (le: string) =>
  `temporal_workflow_task_schedule_to_start_latency_seconds_bucket{task_queue="package-import",le="${le}"}`;
const SESSION = 'package_import_regulator_session_active';
const SESSION_LEFT = 'package_import_regulator_session_remaining_seconds';
const AGE = 'package_import_oldest_unfinished_import_seconds';
const BACKLOG_OF = (queue: string) =>
  `package_import_task_queue_backlog_age_seconds{task_queue="${queue}",instance="g"}`;
const BACKLOG = BACKLOG_OF('package-import');
const INSERT_BACKLOG = BACKLOG_OF('regulator-insert');
const BUSY = 'nodejs_eventloop_lag_p99_seconds{job="package-import-worker",instance="w"}';
const UP = 'up{job="package-import-gateway",instance="g"}';
const WORKER_UP = 'up{job="package-import-worker",instance="w"}';
const FREE = 'package_import_storage_free_bytes';
const DONE = (activity: string) =>
  `package_import_activity_duration_seconds_count{activity="${activity}",outcome="completed"}`;
const STORED = 'package_import_stored_bytes';

const GB = 1024 ** 3;
const WELL: Series = {
  [UP]: steady(1),
  [WORKER_UP]: steady(1),
  [WORKERS('package-import')]: steady(1),
  [WORKERS('package-reading')]: steady(2),
  [WORKERS('regulator-insert')]: steady(4),
  [SESSION]: steady(1),
  [SESSION_LEFT]: steady(3000),
  package_import_steps_waiting_for_session: steady(0),
  [`${REGULATOR}{status="200"}`]: growing(600),
  [`${REGULATOR}{status="503"}`]: growing(6),
  [`${REGULATOR}{status="429"}`]: growing(6),
  [ENDED('completed')]: growing(100),
  [ENDED('failed')]: growing(1),
  'package_import_mails_total{outcome="refused"}': steady(1),
  [LATENCY('1')]: growing(10),
  [LATENCY('10')]: growing(10),
  [LATENCY('+Inf')]: growing(10),
  [FREE]: steady(50 * GB),
  package_import_storage_min_free_bytes: steady(GB),
  [STORED]: growing(GB / 20),
  [`${HTTP}{code="storage_full"}`]: steady(0),
  [`${HTTP}{code="internal"}`]: steady(0),
  [AGE]: steady(600),
  [BACKLOG]: steady(1),
  // A large import, at the rate of the regulator.
  [INSERT_BACKLOG]: growing(60),
  [BUSY]: steady(0.02),
  [DONE('reconcile')]: growing(2),
  [DONE('countDays')]: '0+0.2x120',
  // Once a day, or not yet.
  [DONE('applyRetention')]: '0x60 1x60',
  [DONE('sendDigests')]: steady(0),
};

const TROUBLE: [alert: string, series: Series][] = [
  ['PackageImportProcessDown', { [UP]: steady(0) }],
  ['PackageImportProcessDown', { [UP]: null }],
  ['PackageImportProcessDown', { [WORKER_UP]: null }],
  ['PackageImportNoWorker', { [WORKERS('package-reading')]: steady(0) }],
  ['PackageImportDependencyDown', Object.fromEntries(WORKER_ROLES.map((role) => [WORKERS(role), null]))],
  ['PackageImportDependencyDown', { [BACKLOG]: null, [INSERT_BACKLOG]: null }],
  ['PackageImportRequestsFail', { [`${HTTP}{code="internal"}`]: growing(1) }],
  ['PackageImportNoRegulatorSession', { [SESSION]: steady(0), [SESSION_LEFT]: steady(0) }],
  ['PackageImportStepsWaitForLogin', { package_import_steps_waiting_for_session: steady(3) }],
  ['PackageImportRegulatorFails', { [`${REGULATOR}{status="503"}`]: growing(300) }],
  ['PackageImportRegulatorLimits', { [`${REGULATOR}{status="429"}`]: growing(100) }],
  ['PackageImportInsertsRejected', { [ENDED('failed')]: growing(60) }],
  ['PackageImportInsertsRejected', { [ENDED('failed')]: growing(1), [ENDED('completed')]: null }],
  ['PackageImportMailsFail', { 'package_import_mails_total{outcome="refused"}': growing(1) }],
  ['PackageImportUploadsWait', { [LATENCY('1')]: growing(1) }],
  ['PackageImportStorageFillsUp', { [FREE]: steady(4 * GB) }],
  ['PackageImportStoredGrows', { [STORED]: growing(GB) }],
  ['PackageImportNoRoom', { [`${HTTP}{code="storage_full"}`]: growing(1) }],
  ['PackageImportUnfinishedForLong', { [AGE]: steady(7 * 3600) }],
  ['PackageImportBacklogGrowsOld', { [BACKLOG]: steady(400) }],
  ['PackageImportSessionEndsSoon', { [SESSION_LEFT]: steady(200) }],
  ['PackageImportProcessBusy', { [BUSY]: steady(0.8) }],
  ['PackageImportScheduledWorkFails', { [DONE('reconcile')]: steady(0) }],
  ['PackageImportScheduledWorkFails', { [DONE('countDays')]: steady(7) }],
];

/** Successes of work that a schedule starts once a day, every half hour, and what fires at noon of each day. */
const DAYS: [series: Series, firing: string[][]][] = [
  [
    {
      // The second night fails, and the third succeeds.
      [DONE('applyRetention')]: '0x6 1x96 2x33',
      // A new process in each night begins at 0.
      [DONE('sendDigests')]: '0x6 1x42 0x6 1x42 0x6 1x33',
    },
    [[], ['applyRetention'], []],
  ],
  // A schedule that is missing. The first run of a new installation may be a day away.
  [{ [DONE('sendDigests')]: '0x83' }, [[], ['sendDigests']]],
];

it('every alert is tried', () => {
  expect(new Set(TROUBLE.map(([alert]) => alert))).toEqual(new Set(alerts.map(({ alert }) => alert)));
});

/** Faults of packages, and those of the regulator, which has alerts of its own. */
const NOT_OURS: ErrorCode[] = [
  ...(['invalid_package', 'import_cancelled'] as const),
  ...(['regulator_login_refused', 'regulator_unavailable'] as const),
];

it('every error of the service itself raises an alert', () => {
  const conditions = alerts.map(({ expr }) => expr).join('\n');
  const named = new Set(conditions.match(/(?<=code=~?")[^"]+/g)?.flatMap((codes) => codes.split('|')));
  const ours = ERROR_CODES.filter((code) => aboutError(code).status >= 500 && !NOT_OURS.includes(code));
  expect(ours.filter((code) => !named.has(code))).toEqual([]);
});

const promtool = await findProgram('promtool');

describe.skipIf(promtool === null)('rules (skipped without promtool)', () => {
  const test = (series: Series, firing: string[]) => ({
    interval: '1m',
    input_series: Object.entries({ ...WELL, ...series })
      .filter(([, values]) => values !== null)
      .map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '2h',
        exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  });

  const testOfDays = (series: Series, days: string[][]) => ({
    interval: '30m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: days.map((firing, day) => ({
      expr: 'count by (activity) (ALERTS{alertname="PackageImportScheduledWorkFails",alertstate="firing"})',
      eval_time: `${day * 24 + 12}h`,
      exp_samples: firing.map((activity) => ({ labels: `{activity="${activity}"}`, value: 1 })),
    })),
  });

  it('fire for their fault, and are silent otherwise', { timeout: 60_000 }, async () => {
    const directory = await temporaryDirectory();
    const rules = fileURLToPath(new URL(`../../${ALERTS}`, import.meta.url));
    const save = async (name: string, interval: string, tests: object[]) => {
      const file = join(directory, name);
      await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: interval, tests }));
      return file;
    };
    const files = [
      await save('hours.yml', '5m', [
        test({}, []),
        ...TROUBLE.map(([alert, series]) => test(series, [alert])),
      ]),
      await save(
        'days.yml',
        '30m',
        DAYS.map(([series, days]) => testOfDays(series, days)),
      ),
    ];
    const said = await promisify(execFile)(promtool ?? '', ['test', 'rules', ...files]).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    expect(said).toBe('');
  });
});
