/**
 * The checks of chaos on forged facts: a good world passes, and each kind of loss fails its check; and the plan of the
 * faults.
 */
import { describe, expect, it } from 'vitest';
import type { ImportResult } from '../../src/contract/types.ts';
import { CHECKS, checkAll } from './checks.ts';
import type { Facts } from './facts.ts';
import { FAULT_KINDS, LONG, type PlannedKind, planFaults, SHORT } from './faults.ts';

const PRODUCTS = ['99962-22-00001', '99962-22-00002'];
const UUID = 'aaaaaaaa-0000-4000-8000-000000000001';

function content(productId: string) {
  return { sections: { init_validate: `section of ${productId}` }, attachments: { a: 'document' } };
}

function answer(): ImportResult {
  return {
    id: 7,
    zip_import: {
      extracted_xml_files: 2,
      skipped_count: 0,
      created_submissions: PRODUCTS.map((product_id, index) => ({ id: index + 1, product_id })),
      failed: [],
      skipped: [],
      warnings: [],
    },
    queue: {
      queued_count: 2,
      failed_count: 0,
      results: PRODUCTS.map((_, index) => ({ submission_id: index + 1, status: 202 })),
    },
    submissions: PRODUCTS.map((product_id, index) => ({ id: index + 1, product_id })),
  } as unknown as ImportResult;
}

function goodWorld() {
  const accepted = (sha256: string) => ({ accepted: 1, sha256, bytes: 1 });
  return {
    uploads: [
      {
        clientId: 'client-1',
        key: 'key-1',
        products: PRODUCTS.map((productId) => ({
          productId,
          xmlFile: `${productId}.xml`,
          content: content(productId),
        })),
        answer: answer() as ImportResult | null,
        refusal: null as string | null,
        repeated: answer() as ImportResult | null,
      },
    ],
    imports: [
      {
        id: 7,
        uuid: UUID,
        client_id: 'client-1',
        status: 'completed',
        failure_reason: null as string | null,
        is_over: true as boolean,
        key: 'key-1' as string | null,
        mail: 'sent' as string | null,
      },
    ],
    submissions: PRODUCTS.map((product_id, index) => ({
      id: index + 1,
      uuid: `uuid-${index}`,
      product_id,
      status: 'regulator_inserted',
      case_id: `CASE-${index}` as string | null,
      flags: 6,
      inserted_events: 1,
    })),
    cases: PRODUCTS.map((product_id, index) => ({
      case_id: `CASE-${index}`,
      client_reference: `uuid-${index}`,
      product_id,
      product_type: 1,
      submission_type: '1',
      submission_date: '',
      modified_date: '',
      opened: 2,
      steps: { init_validate: accepted(`section of ${product_id}`) } as Facts['cases'][number]['steps'],
      attachments: { a: accepted('document') } as Facts['cases'][number]['attachments'],
    })),
    mails: [
      { importId: 7, messageId: `<package-import-${UUID}@company.example>` },
      // Sent again by a worker that was killed after the mail server's answer.
      { importId: 7, messageId: `<package-import-${UUID}@company.example>` },
    ],
    stored: ['packages/7.zip', 'attachments/do/document'],
    recorded: ['attachments/do/document', 'packages/7.zip'],
    halves: [] as string[],
    orphans: [] as string[],
    leases: [] as string[],
    openRuns: [] as string[],
  } satisfies Facts;
}

type Forged = ReturnType<typeof goodWorld>;
/** The first element of a list with at least one. */
const first = <T>(list: readonly T[]): T => list[0] as T;
const given = ({ uploads }: Forged) => first(uploads).answer as ImportResult;

/** Forged facts, by the check that must fail. */
const FORGERIES: Record<string, Record<string, (world: Forged) => unknown>> = {
  'every upload has its 200': {
    'no answer': (w) => Object.assign(first(w.uploads), { answer: null, refusal: '500' }),
  },
  'every 200 is complete': {
    'a product is missing': (w) => given(w).submissions.pop(),
    'a product is listed twice': (w) => given(w).submissions.push(first(given(w).submissions)),
    'a created one is missing': (w) => given(w).zip_import.created_submissions.pop(),
    'a queue result is missing': (w) => given(w).queue.results.pop(),
    'a queue result is of another': (w) => Object.assign(first(given(w).queue.results), { submission_id: 2 }),
    'one was not queued': (w) => Object.assign(first(given(w).queue.results), { status: 503 }),
    'a count is wrong': (w) => Object.assign(given(w).queue, { queued_count: 1 }),
    'a file failed': (w) => given(w).zip_import.failed.push({ xml_file: 'x', error: 'y', reasons: [] }),
    'a file was skipped': (w) => given(w).zip_import.skipped.push({ xml_file: 'x', reason: 'y' }),
  },
  'the same request gets the same answer': {
    'another answer': (w) => Object.assign(first(w.uploads).repeated ?? {}, { id: 8 }),
    'no answer': (w) => Object.assign(first(w.uploads), { repeated: null }),
  },
  'one import per key': {
    'two imports': (w) => w.imports.push({ ...first(w.imports), id: 8 }),
    none: (w) => Object.assign(first(w.imports), { key: 'other' }),
    'the answer is of another': (w) => Object.assign(given(w), { id: 8 }),
    'one without a key': (w) => w.imports.push({ ...first(w.imports), id: 8, key: null }),
  },
  'every import has ended': {
    'one is inserting': (w) => Object.assign(first(w.imports), { status: 'inserting', is_over: false }),
    'one failed, but not for want of room': (w) =>
      Object.assign(first(w.imports), { status: 'failed', failure_reason: 'Something else' }),
  },
  'every product is one submission, inserted': {
    lost: (w) => w.submissions.pop(),
    doubled: (w) => w.submissions.push(first(w.submissions)),
    failed: (w) => Object.assign(first(w.submissions), { status: 'regulator_insert_failed' }),
    'a step is missing': (w) => Object.assign(first(w.submissions), { flags: 5 }),
  },
  'one case per product': {
    lost: (w) => w.cases.pop(),
    doubled: (w) => w.cases.push({ ...first(w.cases), case_id: 'CASE-9', client_reference: 'other' }),
    'another than recorded': (w) => Object.assign(first(w.submissions), { case_id: 'CASE-9' }),
  },
  'the regulator has exactly what was sent': {
    'another section': (w) => Object.assign(first(w.cases).steps.init_validate ?? {}, { sha256: 'other' }),
    'no section': (w) => Object.assign(first(w.cases), { steps: {} }),
    'one too many': (w) =>
      Object.assign(first(w.cases).steps, { emission: { accepted: 1, sha256: 'x', bytes: 1 } }),
    'another document': (w) => Object.assign(first(w.cases).attachments.a ?? {}, { sha256: 'other' }),
    'no document': (w) => Object.assign(first(w.cases), { attachments: {} }),
  },
  'one mail per import, by Message-ID': {
    lost: (w) => w.mails.splice(0),
    'doubled under another id': (w) => w.mails.push({ importId: 7, messageId: '<other@company.example>' }),
    'with an id of its own': (w) =>
      w.mails.splice(0, 2, { importId: 7, messageId: '<other@company.example>' }),
    'not recorded': (w) => Object.assign(first(w.imports), { mail: 'sending' }),
    'of no import': (w) => w.mails.push({ importId: 8, messageId: 'x' }),
  },
  'every status change is recorded once': {
    twice: (w) => Object.assign(first(w.submissions), { inserted_events: 2 }),
    never: (w) => Object.assign(first(w.submissions), { inserted_events: 0 }),
  },
  'the archive holds what records say': {
    'an orphan': (w) => w.stored.push('packages/8.zip'),
    'a lost file': (w) => w.stored.pop(),
  },
  'no half file is left': {
    one: (w) => w.halves.push('.incoming/x'),
  },
  'no row is left over': {
    one: (w) => w.orphans.push('attachment 1'),
  },
  'no lease or lock is held': {
    one: (w) => w.leases.push('upload 1 of client-1'),
  },
  'no run is open': {
    one: (w) => w.openRuns.push('regulator-insert-99962-22-00001'),
  },
};

describe('the checks', () => {
  it('find nothing when everything is consistent', () => {
    expect(checkAll(goodWorld()).flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('find nothing in an import that failed without room and was repeated', () => {
    const world = goodWorld();
    const failure_reason = 'The archive storage is full.';
    world.imports.push({
      ...first(world.imports),
      id: 6,
      status: 'failed',
      failure_reason,
      key: null,
      mail: null,
    });
    expect(checkAll(world).flatMap(({ findings }) => findings)).toEqual([]);
  });

  for (const [check, forgeries] of Object.entries(FORGERIES))
    it.each(Object.entries(forgeries))(`${check}: %s`, (_what, forge) => {
      const world = goodWorld();
      forge(world);
      expect(CHECKS[check]?.(world).length).toBeGreaterThan(0);
    });

  it('are all tried', () => expect(Object.keys(FORGERIES)).toEqual(Object.keys(CHECKS)));
});

const KINDS = Object.keys(FAULT_KINDS) as PlannedKind[];
const options = { seed: 1, faults: 200, gateways: 2, workers: 3, durations: LONG, kinds: KINDS };
const shown = (plan: ReturnType<typeof planFaults>) => plan.map(({ random: _, ...fault }) => fault);

describe('the plan', () => {
  it('is equal for equal seeds, and differs for different seeds', () => {
    expect(shown(planFaults(options))).toEqual(shown(planFaults(options)));
    expect(shown(planFaults(options))).not.toEqual(shown(planFaults({ ...options, seed: 2 })));
  });

  it('has the requested number of faults, with every kind for every part', () => {
    const plan = planFaults(options);
    expect(plan).toHaveLength(200);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const killed = new Set(plan.filter(({ kind }) => kind === 'kill -9').map(({ target }) => target));
    expect(killed.size).toBe(7);
  });

  it('with few faults has as many kinds as faults', () => {
    const plan = planFaults({ ...options, faults: KINDS.length, durations: SHORT });
    expect(plan.map(({ kind }) => kind).toSorted()).toEqual(KINDS.toSorted());
  });

  it('leaves out faults that the machine does not support', () => {
    const kinds = KINDS.filter((kind) => kind !== 'disk full');
    expect(planFaults({ ...options, kinds }).some(({ kind }) => kind === 'disk full')).toBe(false);
  });

  it('silences each connection for longer than leases and heartbeats', () => {
    const silences = planFaults(options).filter(({ kind }) => kind === 'network silent');
    expect(new Set(silences.map(({ target }) => target)).size).toBe(5);
    for (const { seconds } of silences) expect(seconds).toBeGreaterThan(10);
  });

  it('stops workers for longer than their heartbeats, and gateways for longer than their leases', () => {
    for (const { kind, target, seconds } of planFaults(options)) {
      if (kind !== 'SIGSTOP, SIGCONT') continue;
      expect(seconds).toBeGreaterThan(target?.startsWith('gateway') ? 60 : 10);
    }
  });
});
