/** Package imports as a client uses them: uploads, and reading what became of them. */
import { addressOf } from '../../src/contract/operations.ts';
import { INSERT_PROCESS } from '../../src/contract/statuses.ts';
import type { DryRunResult, ImportReport, ImportResult, ImportSummary } from '../../src/contract/types.ts';
import type { Answer, ApiClient, Upload } from './api-client.ts';
import type { ImportQuery } from './options.ts';

export type PackageUpload = Omit<Upload, 'fields'> & {
  comment?: string | undefined;
  /** Recipient of the summary. */
  email?: string | undefined;
};

/** A summary, and how to ask whether it still holds. */
export interface KnownSummary {
  summary: ImportSummary;
  etag: string | null;
}

/** Statuses with which running a submission again may be answered; others are errors. */
const RUN_ANSWERS = [409, 503] as const;

export function packageImportsOf(client: ApiClient) {
  return {
    upload: ({ comment, email, ...file }: PackageUpload): Promise<Answer<ImportResult>> =>
      client.upload(addressOf('postPackageImport'), { ...file, fields: present({ comment, email }) }),

    /**
     * Says what an import would do, and with `diff` how products differ from what was inserted last. Asked for in the
     * query, which needs no regulator session, and in the form, for gateways that do not know the query. One that knows
     * no dry runs at all imports the package: its answer then has no `dry_run`.
     */
    tryOut: ({
      comment,
      email,
      diff,
      ...file
    }: PackageUpload & { diff?: boolean }): Promise<Answer<DryRunResult | ImportResult>> =>
      client.upload(addressOf('postPackageImport', {}, { dry_run: true, diff: diff || undefined }), {
        ...file,
        fields: { ...present({ comment, email }), dry_run: 'true' },
      }),

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
     * Asks how the import stands, without its products, and gets it only if it is another than what is known
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

    /** Runs the insert of a submission again. 409: it is running, or something else speaks against it. */
    runInsert: (id: number) =>
      client.call('postSubmissionAction', { params: { id, process: INSERT_PROCESS }, accept: RUN_ANSWERS }),

    /** Ends an import that is under way. Asking again changes nothing. */
    cancel: (id: number) => client.call('postImportCancellation', { params: { id } }),

    /** Has everything that failed or was not queued run again; asking again while that is under way gets the same. */
    retry: (id: number, limit: number) =>
      client.call('postImportRetry', { params: { id }, query: { limit } }),

    /** How far that is, with the results behind a submission: `next_after` of the page before. */
    retryResults: (id: number, after: number, limit: number) =>
      client.call('getImportRetry', { params: { id }, query: { after, limit } }),

    submission: (id: number) => client.call('getSubmission', { params: { id } }),

    /** Products, or files that are none, as CSV (RFC 4180), part by part. Safe for spreadsheets. */
    async csv(id: number, table: 'products' | 'files'): Promise<AsyncIterable<string>> {
      const operation = table === 'products' ? 'getImportProductsCsv' : 'getImportFilesCsv';
      const { body } = await client.download(operation, { params: { id } });
      return (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true }));
    },

    /** A ZIP with the files to be repaired. Its body has not been read. */
    repairPack: (id: number): Promise<Response> => client.download('getRepairPack', { params: { id } }),
  };
}

export type PackageImports = ReturnType<typeof packageImportsOf>;

function present(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return Object.fromEntries(given);
}
