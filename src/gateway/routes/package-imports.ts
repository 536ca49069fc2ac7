import { getImportOutcomes } from '../../contract/schemas/import-outcomes.ts';
import { getPackageImport, getPackageImports } from '../../contract/schemas/package-imports.ts';
import type { ImportSearch } from '../../database/import-search.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { findImport, listedFor } from '../ownership.ts';
import { presentOutcome } from '../presenters/import-outcomes.ts';
import { snapshotOf } from '../presenters/import-source.ts';
import { presentReport, summariesOf } from '../presenters/package-import.ts';
import { defineRoute } from '../route.ts';
import { StreamedData } from '../streams.ts';

export function packageImportRoutes({ database, readAudit, version }: GatewayDependencies) {
  return [
    defineRoute({
      ...getPackageImports,
      async handle({ caller, query: { limit, before, ...asked } }) {
        const search: ImportSearch = {
          ...listedFor(caller, asked.client_id),
          fileName: asked.file_name,
          comment: asked.comment,
          from: asked.from,
          until: asked.to,
          status: asked.status,
          hasFailures: asked.has_failures,
        };
        const { records, nextBefore: next_before } = await database.imports.list(search, { limit, before });
        const listed = before === undefined ? await database.imports.countListed(search) : null;
        await readAudit.note(caller, null, { action: 'import.list_read' });
        const imports = records.map(await summariesOf(database, records));
        const counts = listed && { by_status: listed.byStatus, complete: listed.complete };
        return {
          message: 'Package imports.',
          data: { imports, counts, next_before },
        };
      },
    }),
    defineRoute({
      ...getPackageImport,
      async handle({ caller, params: { id }, query: { view }, budget }) {
        const record = await findImport(database, caller, id);
        await readAudit.note(caller, record.tenant, { action: 'import.read', importId: id });
        if (view === 'summary') {
          return { message: 'Package import.', data: (await summariesOf(database, [record]))(record) };
        }
        // The tag contains the service's version, because another version may present the same rows differently.
        const tag = `${version} ${await database.imports.version(id)}`;
        const data = async () =>
          new StreamedData(presentReport(await snapshotOf(database.reports, budget, id)));
        return { message: 'Package import.', version: tag, data };
      },
    }),
    defineRoute({
      ...getImportOutcomes,
      async handle({ caller, params: { id }, query: { limit, before, ...filter } }) {
        const record = await findImport(database, caller, id);
        await readAudit.note(caller, record.tenant, { action: 'import.read', importId: id });
        const listed = await database.importOutcomes.list({ importId: id, ...filter }, { limit, before });
        const counts = before === undefined ? await database.importOutcomes.counts(id) : null;
        const outcomes = listed.page.map(presentOutcome);
        return { message: 'Outcomes.', data: { outcomes, counts, next_before: listed.nextBefore } };
      },
    }),
  ];
}
