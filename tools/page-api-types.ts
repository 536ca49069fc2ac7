/**
 * What the web page knows of the API, written from the description that the gateway serves: types for every answer,
 * and what each operation asks for. `npm run api-types` (tools/api-types.ts) writes the files anew.
 */
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { describeApi } from './api-description.ts';

export const GENERATED = fileURLToPath(new URL('../page/api/generated', import.meta.url));

const HEAD = '// Written by `npm run api-types` from the API description. Not to be edited.\n';

interface Described {
  paths: Record<string, Record<string, { operationId: string; 'x-required-permission'?: string }>>;
}

/** The files by name, as they are to be. */
export async function pageApiTypes(): Promise<Record<string, string>> {
  // The version is not part of the types: a release changes nothing here.
  const description = await describeApi('0.0.0');
  const types = astToString(await openapiTypes(JSON.stringify(description)));
  return { 'api.d.ts': HEAD + types, 'permissions.ts': HEAD + permissionsOf(description as Described) };
}

/** Which permission each operation asks for: what the page may show to whom. */
function permissionsOf({ paths }: Described): string {
  const entries = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, 'x-required-permission': permission }) =>
      permission === undefined ? [] : [`  ${operationId}: '${permission}',\n`],
    ),
  );
  return `export const REQUIRED_PERMISSION = {\n${entries.sort().join('')}} as const;\n`;
}
