/** The types that the web page is compiled against are those of the API as it is. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GENERATED, pageApiTypes } from '../../tools/page-api-types.ts';

it('what is committed is what `npm run api-types` writes', async () => {
  for (const [name, text] of Object.entries(await pageApiTypes())) {
    const committed = await readFile(join(GENERATED, name), 'utf8');
    expect(committed === text, `page/api/generated/${name} is stale: npm run api-types`).toBe(true);
  }
});
