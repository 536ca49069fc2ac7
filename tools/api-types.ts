/** `npm run api-types`: writes what the web page knows of the API. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GENERATED, pageApiTypes } from './page-api-types.ts';

for (const [name, text] of Object.entries(await pageApiTypes())) await writeFile(join(GENERATED, name), text);
