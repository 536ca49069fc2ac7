/**
 * An insert as a plain job: the calls that the service makes for the same product, with the same bodies, and one
 * statement after each step that records how far it has come.
 */
import { INSERT_STEPS, type InsertStep } from '../../src/domain/steps.ts';

export interface ProductJob {
  /** Client reference at the regulator, and key of the record: a job that is repeated finds both again. */
  reference: string;
  productId: string;
  productType: number;
  submissionType: number | null;
  /** Null where there is nothing to send. */
  sections: Record<InsertStep, unknown>;
}

export type Query = <Row>(statement: string, values: readonly unknown[]) => Promise<Row[]>;

export type InsertProduct = (job: ProductJob, isRepeated: boolean) => Promise<void>;

interface Progress {
  case_id: string | null;
  steps: readonly InsertStep[];
}

export const PROGRESS_TABLE = `create table bench_progress (
  reference uuid primary key, product_id text not null, case_id text, steps text[] not null)`;

const RECORD = `insert into bench_progress values ($1, $2, $3, array[$4])
  on conflict (reference) do update
    set case_id = excluded.case_id, steps = bench_progress.steps || excluded.steps`;
const PROGRESS = 'select case_id, steps from bench_progress where reference = $1';

/** @param token of the session that the service has: the regulator knows one at a time */
export function createInsertProduct(
  { regulatorUrl, token }: { regulatorUrl: string; token: string },
  query: Query,
): InsertProduct {
  async function call<T>(method: string, path: string, body: unknown, headers = {}): Promise<T> {
    const response = await fetch(`${regulatorUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
    return (await response.json()) as T;
  }

  async function openCase({
    reference,
    productId,
    productType,
    submissionType,
  }: ProductJob): Promise<string> {
    const { case_id } = await call<{ case_id: string }>(
      'POST',
      '/cases',
      {
        client_reference: reference,
        product_id: productId,
        product_type: productType,
        submission_type: submissionType,
      },
      { 'idempotency-key': reference },
    );
    return case_id;
  }

  return async (job, isRepeated) => {
    const [progress] = isRepeated ? await query<Progress>(PROGRESS, [job.reference]) : [];
    let caseId = progress?.case_id ?? null;
    for (const step of INSERT_STEPS.filter((one) => !progress?.steps.includes(one))) {
      const section = job.sections[step];
      if (section !== null) {
        caseId ??= await openCase(job);
        await call('PUT', `/cases/${caseId}/steps/${step}`, section);
      }
      await query(RECORD, [job.reference, job.productId, caseId, step]);
    }
  };
}
