import { getPackageImport, getPackageImports } from '../../contract/schemas/package-imports.ts';
import type { ImportSearch } from '../../database/import-search.ts';
import { NotFound } from '../../domain/errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { StreamedData } from '../json-stream.ts';
import { listedClient, ownedBy, visibleSubmitters } from '../ownership.ts';
import { presentReport } from '../presenters/package-import.ts';
import { createReadTrail } from '../read-trail.ts';
import type { Snapshots } from '../reports/snapshots.ts';
import { createSummaries } from '../reports/summaries.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

export function packageImportRoutes(
  { database, version }: Pick<GatewayDependencies, 'database' | 'version'>,
  snapshotOf: Snapshots,
) {
  const reads = createReadTrail(database.auditTrail);
  const summarize = createSummaries(database);
  return [
    defineRoute({
      ...getPackageImports,
      async handle({ caller, query: { limit, before, ...asked } }) {
        const submitters = visibleSubmitters(caller);
        const search: ImportSearch = {
          clientId: listedClient(caller, asked.client_id),
          fileName: asked.file_name,
          comment: asked.comment,
          from: asked.from,
          until: asked.to,
          status: asked.status,
          hasFailures: asked.has_failures,
          submitters,
        };
        const { records, nextBefore: next_before } = await database.imports.list(search, { limit, before });
        const listed = before === undefined ? await database.imports.countListed(search) : null;
        await reads.note(caller, null, { action: 'import.list_read' });
        const imports = records.map(await summarize(caller, records));
        const counts = listed && { by_status: listed.byStatus, complete: listed.complete };
        return {
          message: 'Package imports.',
          data: { imports, counts, next_before },
        };
      },
    }),
    defineRoute({
      ...getPackageImport,
      async handle({ caller, params: { id }, query: { view } }) {
        const record = ownedBy(caller, await database.imports.find(id), 'Package import', id);
        await reads.note(caller, record.clientId, { action: 'import.read', importId: id });
        if (view === 'summary') {
          return { message: 'Package import.', data: (await summarize(caller, [record]))(record) };
        }
        // The tag contains the service's version, because another version may present the same rows differently.
        const tag = `${version} ${await database.imports.version(id)} ${JSON.stringify(visibleSubmitters(caller))}`;
        return { message: 'Package import.', version: tag, read: () => readReport(caller, id) };
      },
    }),
  ];

  async function readReport(caller: Caller, importId: number) {
    const view = { importId, submitters: visibleSubmitters(caller) };
    const snapshot = await snapshotOf(caller.clientId, view);
    if (!snapshot) throw new NotFound('Package import', importId);
    return new StreamedData(presentReport(snapshot), snapshot.release);
  }
}
