/** docs/error-codes.md is written from the codes themselves: `npm test -- test/documentation -u` writes it anew. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ERROR_CODES, meaningOf, statusOf } from '../../src/contract/error-codes.ts';

const INTRODUCTION = `# Error codes

Every answer that is not a success has its envelope (interface §2.3) and in \`data.code\` one of these words. **Programs
tell errors apart by the code**, people read \`message\`. A code is never renamed or given another meaning; new ones may come, so
treat an unknown one by its HTTP status. \`data.id\` is there wherever an import exists: its result is at
\`GET /regulator/package-imports/{id}\`. Some codes bring more, which is named with them.

This page is written from \`src/contract/error-codes.ts\`, and a test keeps it so.
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
