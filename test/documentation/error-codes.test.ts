/** docs/error-codes.md is written from the codes themselves: `npm test -- test/documentation -u` writes it anew. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ERROR_CODES, meaningOf, statusOf } from '../../src/contract/error-codes.ts';

const INTRODUCTION = `# Error codes

Every error answer has the envelope (interface §2.3) and one of these words in \`data.code\`. **Programs distinguish errors by the
code**, people read \`message\`. A code is never renamed or given another meaning. New codes may be added: handle an unknown code
by its HTTP status. \`data.id\` is present if an import exists: its result is at \`GET /regulator/package-imports/{id}\`. The
section of a code names its further fields.

A test generates this page from \`src/contract/error-codes.ts\`.
`;

const page = (): string => {
  const byStatus = ERROR_CODES.toSorted((a, b) => statusOf(a) - statusOf(b));
  const sections = byStatus.map(
    (code) => `## ${code}\n\nHTTP ${statusOf(code)}. ${sentence(meaningOf(code))}\n`,
  );
  return [INTRODUCTION, ...sections].join('\n');
};

const sentence = (meaning: string) => `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;

it('has a section for each code, with its status and what to do', async () => {
  await expect(page()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/error-codes.md', import.meta.url)),
  );
});
