/** Package imports for clients: uploads and their results. */
import { addressOf } from '../../src/contract/operations.ts';
import { INSERT_PROCESS } from '../../src/contract/statuses.ts';
import type { DryRunResult, ImportReport, ImportResult, ImportSummary } from '../../src/contract/types.ts';
import type { Answer, ApiClient, Upload } from './api-client.ts';
import { errorOfBody } from './errors.ts';
import type { ImportQuery } from './options.ts';

export type PackageUpload = Omit<Upload, 'fields'> & {
  comment?: string | undefined;
  /** Recipient of the summary. */
  email?: string | undefined;
  /** Import whose failed product file is corrected: the file to send is then that XML. */
  mends?: number | undefined;
};

/** A summary with its validator for conditional requests. */
export interface KnownSummary {
  summary: ImportSummary;
  etag: string | null;
}

/** Statuses other than 2xx that are an answer to a repeated run. Others are errors. */
const RUN_ANSWERS = [409, 503] as const;

export function packageImportsOf(client: ApiClient) {
  const send = <D>({ comment, email, mends, ...file }: PackageUpload, dry_run?: true) =>
    client.upload<D>(addressOf('postPackageImport', {}, { dry_run, mends }), {
      ...file,
      fields: { comment, email },
    });

  return {
    upload: (file: PackageUpload) => send<ImportResult>(file),

    /** Describes the effect of an import. It needs no regulator session. */
    dryRun: (file: PackageUpload) => send<DryRunResult>(file, true),

    /** One page, newest first. */
    list: ({ has_failures, ...query }: ImportQuery = {}) =>
      client.call('getPackageImports', {
        query: { ...query, ...(has_failures !== undefined && { has_failures: `${has_failures}` as const }) },
      }),

    async report(id: number): Promise<Answer<ImportReport>> {
      const answer = await client.call('getPackageImport', { params: { id } });
      return answer as Answer<ImportReport>;
    },

    /**
     * The import's summary without its products, if it differs from the known one
     * (RFC 9110 §13.1.2).
     */
    async newerSummary(id: number, known: KnownSummary | null): Promise<KnownSummary> {
      const answer = await client.call('getPackageImport', {
        params: { id },
        query: { view: 'summary' },
        headers: known?.etag ? { 'if-none-match': known.etag } : {},
        accept: known?.etag ? [304] : [],
      });
      if (answer.status === 304 && known) return known;
      return { summary: answer.data as ImportSummary, etag: answer.headers.get('etag') };
    },

    /** Runs the insert of a submission again. 409: it is running, or another reason prevents it. */
    runInsert: (id: number) =>
      client.call('postSubmissionAction', { params: { id, process: INSERT_PROCESS }, accept: RUN_ANSWERS }),

    /** Products, or the other files, as CSV (RFC 4180), in pieces. Safe for spreadsheets. */
    async csv(id: number, table: 'products' | 'files'): Promise<AsyncIterable<string>> {
      const operation = table === 'products' ? 'getImportProductsCsv' : 'getImportFilesCsv';
      return textOf(await client.download(operation, { params: { id } }));
    },
  };
}

/** @throws Unreachable when it is incomplete, or the reason of the client's signal */
async function* textOf({ body, url }: Response): AsyncGenerator<string> {
  const text = body?.pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true })) ?? [];
  try {
    yield* text;
  } catch (error) {
    throw errorOfBody(error, url);
  }
}

export type PackageImports = ReturnType<typeof packageImportsOf>;
