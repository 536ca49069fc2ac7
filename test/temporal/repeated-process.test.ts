/**
 * The call that starts an import and waits for its answer, repeated after the import has ended: the SDK repeats it when
 * the first answer is lost. Temporal answers with the result of the same update (decision §update-with-start).
 */
import { expect, it } from 'vitest';
import { ImportFailed } from '../../src/domain/client-errors.ts';
import { createImportWorkflows } from '../../src/temporal/import-workflows.ts';
import { startStack } from '../support/starters/stack.ts';
import { upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack();
const workflows = createImportWorkflows(stack.temporal, { of: () => ({}) });

async function processAgain(importId: number) {
  const { uuid: importUuid = '', clientId = '' } = (await stack.database.imports.find(importId)) ?? {};
  await stack.imports
    .parent(importUuid)
    .result()
    .catch(() => null);
  return workflows.process({ importId, importUuid, clientId });
}

it('returns the counts of a completed import', async () => {
  const { importId } = await stack.imports.importOne();
  expect(await processAgain(importId)).toMatchObject({ created: 1, queued: 1 });
});

it('throws the reason of a failed import', async () => {
  const { body } = await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
  const failed = await processAgain(body.data.id ?? 0).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ImportFailed);
  expect(failed).toMatchObject({ code: 'invalid_package' });
});
