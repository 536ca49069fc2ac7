/** The job that the queues are measured with: the calls of an insert, and what a repeated try leaves out. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createInsertProduct, type ProductJob } from '../../bench/queues/product-job.ts';
import { INSERT_STEPS, perStep } from '../../src/domain/steps.ts';

const JOB: ProductJob = {
  reference: 'reference',
  productId: '00001-22-00001',
  productType: 1,
  submissionType: 1,
  sections: { ...perStep((step) => ({ of: step }) as unknown), emission: null },
};

/** Runs the job against a regulator that answers at once. */
async function insert(progress: { case_id: string; steps: string[] } | null) {
  const calls: string[] = [];
  const recorded: unknown[][] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ case_id: 'CASE-1' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const regulator = { regulatorUrl: `http://127.0.0.1:${port}`, token: 'token' };
  const work = createInsertProduct(regulator, async <Row>(statement: string, values: readonly unknown[]) => {
    if (statement.startsWith('select')) return (progress ? [progress] : []) as Row[];
    recorded.push([...values]);
    return [];
  });
  await work(JOB, progress !== null);
  return { calls, recorded };
}

it('opens a case, sends every section that there is, and records each step', async () => {
  const { calls, recorded } = await insert(null);
  const sent = INSERT_STEPS.filter((step) => step !== 'emission').map(
    (step) => `PUT /cases/CASE-1/steps/${step}`,
  );
  expect(calls).toEqual(['POST /cases', ...sent]);
  expect(recorded).toEqual(INSERT_STEPS.map((step) => ['reference', JOB.productId, 'CASE-1', step]));
});

it('goes on behind the last step that was recorded when it is tried again', async () => {
  const { calls, recorded } = await insert({ case_id: 'CASE-7', steps: INSERT_STEPS.slice(0, 4) });
  expect(calls).toEqual(['PUT /cases/CASE-7/steps/ingredients']);
  expect(recorded.map(([, , caseId, step]) => [caseId, step])).toEqual([
    ['CASE-7', 'ingredients'],
    ['CASE-7', 'emission'],
  ]);
});
