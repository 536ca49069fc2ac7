/** Invariants after the faults, whatever their kinds. Pure: facts in, findings out. */
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import type { ImportResult } from '../../src/contract/types.ts';
import type { CheckResult } from '../support/proof.ts';
import type { Upload } from './clients.ts';
import type { Facts, ImportRow } from './facts.ts';
import type { Content } from './packages.ts';

/** Each check returns the lost or doubled things, one line per finding. */
export const CHECKS: Record<string, (facts: Facts) => string[]> = {
  'every upload has its 200': ({ uploads }) =>
    uploads.flatMap(({ key, answer, refusal }) => (answer ? [] : [`${key}: ${refusal ?? 'no answer'}`])),

  'every 200 is complete': ({ uploads }) =>
    uploads.flatMap((upload) =>
      upload.answer ? faultsOfAnswer(upload, upload.answer).map((fault) => `${upload.key}: ${fault}`) : [],
    ),

  'the same request gets the same answer': ({ uploads }) =>
    uploads.flatMap(({ key, answer, repeated }) => {
      if (!answer) return [];
      return isSame(answer, repeated)
        ? []
        : [`${key}: was answered ${shortOf(answer)}, then ${shortOf(repeated)}`];
    }),

  'one import per key': ({ uploads, imports }) => [
    ...uploads.flatMap(({ clientId, key, answer }) => {
      const own = imports.filter((row) => row.client_id === clientId && row.key === key);
      const ids = own.map(({ id }) => id);
      return ids.length === 1 && ids[0] === answer?.id
        ? []
        : [`${key}: imports [${ids}], and the answer was of ${answer?.id}`];
    }),
    ...imports
      .filter((row) => row.key === null && !wasFreed(row))
      .map(({ id, status }) => `import ${id} (${status}) belongs to no key`),
  ],

  'every import has ended': ({ imports }) =>
    imports
      .filter((row) => !(row.is_over && row.status === 'completed') && !wasFreed(row))
      .map(({ id, status, failure_reason }) => `import ${id} is ${status}: ${failure_reason ?? 'no reason'}`),

  'every product is one submission, inserted': ({ uploads, submissions }) => {
    const sent = uploads.flatMap(({ products }) => products.map(({ productId }) => productId));
    return [
      ...differences(
        'submission',
        sent,
        submissions.map((row) => row.product_id),
      ),
      ...submissions.flatMap((row) => {
        const isWhole =
          row.status === 'regulator_inserted' && row.flags === INSERT_STEPS.length && row.case_id !== null;
        return isWhole
          ? []
          : [
              `submission ${row.id} of ${row.product_id} is ${row.status} with ${row.flags} flags, case ${row.case_id}`,
            ];
      }),
    ];
  },

  'one case per product': ({ uploads, submissions, cases }) => {
    const sent = uploads.flatMap(({ products }) => products.map(({ productId }) => productId));
    const recorded = new Map(submissions.map((row) => [row.uuid, row.case_id]));
    return [
      ...differences(
        'case',
        sent,
        cases.map(({ product_id }) => product_id),
      ),
      ...cases
        .filter(({ client_reference, case_id }) => recorded.get(client_reference) !== case_id)
        .map(({ case_id, product_id }) => `${case_id} of ${product_id} is not the one of our records`),
    ];
  },

  'the regulator has exactly what was sent': ({ uploads, cases }) => {
    const byProduct = new Map(cases.map((one) => [one.product_id, one]));
    return uploads
      .flatMap(({ products }) => products)
      .flatMap(({ productId, content }) => {
        const got = byProduct.get(productId);
        if (!got) return [];
        const digests = (accepted: Record<string, { sha256: string } | undefined>) =>
          Object.fromEntries(Object.entries(accepted).map(([name, one]) => [name, one?.sha256 ?? '']));
        return faultsOfContent(content, {
          sections: digests(got.steps),
          attachments: digests(got.attachments),
        }).map((fault) => `${got.case_id} of ${productId}: ${fault}`);
      });
  },

  'one mail per import, by Message-ID': ({ imports, mails }) => [
    ...imports
      .filter((row) => !wasFreed(row))
      .flatMap(({ id, uuid, mail }) => {
        const ids = new Set(mails.filter((one) => one.importId === id).map(({ messageId }) => messageId));
        const isOne = ids.size === 1 && [...ids][0]?.includes(uuid) && mail === 'sent';
        return isOne ? [] : [`import ${id}: mails [${[...ids]}], recorded as ${mail}`];
      }),
    ...mails
      .filter(({ importId }) => !imports.some(({ id }) => id === importId))
      .map(({ importId }) => `a mail about import ${importId}, which is not there`),
  ],

  'every status change is recorded once': ({ submissions }) =>
    submissions
      .filter(({ inserted_events }) => inserted_events !== 1)
      .map((row) => `submission ${row.id}: the audit trail has it inserted ${row.inserted_events} times`),

  'the archive holds what records say': ({ stored, recorded }) => [
    ...stored.filter((key) => !recorded.includes(key)).map((key) => `${key} belongs to no record`),
    ...recorded.filter((key) => !stored.includes(key)).map((key) => `${key} is recorded, and not there`),
  ],

  'no half file is left': ({ halves }) => halves.map((path) => `${path} was never finished`),
  'no row is left over': ({ orphans }) => [...orphans],
  'no lease or lock is held': ({ leases }) => [...leases],
  'no run is open': ({ openRuns }) => openRuns.map((id) => `${id} has not ended`),
};

export function checkAll(facts: Facts): CheckResult[] {
  return Object.entries(CHECKS).map(([check, look]) => ({ check, findings: look(facts) }));
}

/** A full archive fails an import, and frees its key (decision §room-for-packages). */
function wasFreed({ status, failure_reason, key }: ImportRow): boolean {
  return status === 'failed' && key === null && /storage is full/.test(failure_reason ?? '');
}

function faultsOfAnswer({ products }: Upload, answer: ImportResult): string[] {
  const { zip_import, queue, submissions } = answer;
  const sent = products.map(({ productId }) => productId);
  const byId = new Map(submissions.map((one) => [one.id, one.product_id]));
  const queued = queue.results.map(
    ({ submission_id }) => byId.get(submission_id) ?? `submission ${submission_id}`,
  );
  const refused = queue.results.filter(({ status }) => status !== 202);
  const counts = [
    ['extracted_xml_files', zip_import.extracted_xml_files],
    ['queued_count', queue.queued_count],
  ] as const;
  return [
    ...differences(
      'created submission',
      sent,
      zip_import.created_submissions.map((one) => one.product_id),
    ),
    ...differences(
      'submission',
      sent,
      submissions.map((one) => one.product_id),
    ),
    ...differences('queue result', sent, queued),
    ...refused.map(({ submission_id, status }) => `submission ${submission_id} was queued with ${status}`),
    ...counts
      .filter(([, count]) => count !== sent.length)
      .map(([name, count]) => `${name} is ${count}, and not ${sent.length}`),
    ...zip_import.failed.map(({ xml_file, error }) => `${xml_file} failed: ${error}`),
    ...zip_import.skipped.map(({ xml_file, reason }) => `${xml_file} was skipped: ${reason}`),
  ];
}

function faultsOfContent(expected: Content, got: Content): string[] {
  return (['sections', 'attachments'] as const).flatMap((kind) => {
    const names = new Set([...Object.keys(expected[kind]), ...Object.keys(got[kind])]);
    return [...names].flatMap((name) => {
      const [wanted, has] = [expected[kind][name], got[kind][name]];
      if (wanted === has) return [];
      if (has === undefined) return [`${kind} lack ${name}`];
      return [
        wanted === undefined ? `${kind} have ${name}, which nobody sent` : `${name} has another content`,
      ];
    });
  });
}

/** Compares two lists: each item once, and no others. */
function differences(what: string, expected: readonly string[], got: readonly string[]): string[] {
  const times = (list: readonly string[], one: string) => list.filter((other) => other === one).length;
  return [...new Set([...expected, ...got])].flatMap((one) => {
    const [wanted, has] = [times(expected, one), times(got, one)];
    if (wanted === has) return [];
    return [has === 0 ? `no ${what} of ${one}` : `${has} times ${what} of ${one} instead of ${wanted}`];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shortOf(answer: ImportResult | null): string {
  if (answer === null) return 'nothing';
  const text = JSON.stringify(answer);
  return `import ${answer.id} (${text.length} characters)`;
}
