/** The whole API: every operation with its schemas, under its id. */
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import { postPackageImportOf } from './upload.ts';

export const postPackageImport = postPackageImportOf(MAX_UPLOAD_BYTES);

export * from './dossier.ts';
export * from './failures.ts';
export * from './import-actions.ts';
export * from './import-outcomes.ts';
export * from './import-tables.ts';
export * from './operators.ts';
export * from './package-imports.ts';
export * from './statistics.ts';
export * from './submissions.ts';
export * from './webhooks.ts';
