/** The simulator's journal: everything that was answered is there after a restart. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type SimulatedCase, SimulatorState } from '../../src/trial-parts/regulator-simulator/state.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const caseOf = (caseId: string) =>
  ({ case_id: caseId, client_reference: `reference of ${caseId}` }) as SimulatedCase;

it('is read after a kill that truncated a line, with the changes behind that line', async () => {
  const path = join(await temporaryDirectory(), 'of-its-own', 'journal.jsonl');
  for (const caseId of ['CASE-100001', 'CASE-100002']) {
    const state = await SimulatorState.open(path);
    await state.save(caseOf(caseId));
    await state.close();
    await appendFile(path, '{"type":"case","val');
  }
  const state = await SimulatorState.open(path);
  expect(state.cases.map(({ case_id }) => case_id)).toEqual(['CASE-100001', 'CASE-100002']);
  expect(state.nextCaseId()).toBe('CASE-100003');
  await state.close();
});

it.runIf(process.platform === 'linux')('is not taken for empty if it cannot be read', async () => {
  // A file that can be opened, but not read at its beginning.
  await expect(SimulatorState.open('/proc/self/mem')).rejects.toThrow('EIO');
});
