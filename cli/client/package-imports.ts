/** What a client does with package imports, one function per endpoint. */
import { CANCEL_ACTION, INSERT_PROCESS, type ImportStatus } from '../../src/contract/statuses.ts';
import type { AuditPage, DryRunResult, ImportReport, ImportResult, ImportRetry, ImportSummary, Inserting, Product, QueueResult, RegulatorSession, Statistics, Stored, Submission } from '../../src/contract/types.ts';
import type { Answer, ApiClient, Upload } from './api-client.ts';

const IMPORTS = '/regulator/package-imports';
const UPLOAD = '/regulator/package-import';
const SUBMISSIONS = '/regulator/submissions';
const SESSION = '/regulator/session';

export type PackageUpload = Omit<Upload, 'fields'> & {
  comment?: string | undefined;
  /** Recipient of the summary. */
  email?: string | undefined;
};

export interface ImportPage {
  imports: ImportSummary[];
  /** For the next page; null on the last. */
  next_before: number | null;
}

/** What a list may be narrowed down to. */
export interface ImportQuery {
  status?: ImportStatus | undefined;
  /** Another's than one's own is for operators. */
  client_id?: string | undefined;
  /** Part of the file's name. */
  file_name?: string | undefined;
  /** Part of the comment. */
  comment?: string | undefined;
  /** Days in UTC, both included, or moments (RFC 3339). */
  from?: string | undefined;
  to?: string | undefined;
  has_failures?: boolean | undefined;
  /** At most 200. */
  limit?: number | undefined;
  /** `next_before` of the page before. */
  before?: number | undefined;
}

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
      client.upload(UPLOAD, { ...file, fields: present({ comment, email }) }),

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
      client.upload(`${UPLOAD}?dry_run=true${diff ? '&diff=true' : ''}`, {
        ...file,
        fields: { ...present({ comment, email }), dry_run: 'true' },
      }),

    /** One page, newest first. */
    async list(query: ImportQuery = {}): Promise<Answer<ImportPage>> {
      return client.call('GET', IMPORTS + queryOf(query));
    },

    async report(id: number): Promise<Answer<ImportReport>> {
      return client.call('GET', `${IMPORTS}/${id}`);
    },

    /**
     * Asks how the import stands, without its products, and gets it only if it is another than what is known
     * (RFC 9110 §13.1.2).
     */
    async newerSummary(id: number, known: KnownSummary | null): Promise<KnownSummary> {
      const headers: Record<string, string> = known?.etag ? { 'if-none-match': known.etag } : {};
      const answer = await client.call<ImportSummary>('GET', `${IMPORTS}/${id}?view=summary`, {
        headers,
        accept: known?.etag ? [304] : [],
      });
      if (answer.status === 304 && known) return known;
      return { summary: answer.data, etag: answer.headers.get('etag') };
    },

    /** Runs the insert of a submission again. 409: it is running, or something else speaks against it. */
    async runInsert(submissionId: number): Promise<Answer<QueueResult | undefined>> {
      return client.call('POST', `${SUBMISSIONS}/${submissionId}/actions/${INSERT_PROCESS}`, {
        accept: RUN_ANSWERS,
      });
    },

    /** Ends an import that is under way. Asking again changes nothing. */
    cancel: (id: number): Promise<Answer<ImportSummary>> =>
      client.call('POST', `${IMPORTS}/${id}/actions/${CANCEL_ACTION}`),

    /** Has everything that failed or was not queued run again; asking again while that is under way gets the same. */
    retry: (id: number, limit: number): Promise<Answer<ImportRetry>> =>
      client.call('POST', `${IMPORTS}/${id}/actions/${INSERT_PROCESS}?limit=${limit}`),

    /** How far that is, with the results behind a submission: `next_after` of the page before. */
    retryResults: (id: number, after: number, limit: number): Promise<Answer<ImportRetry>> =>
      client.call('GET', `${IMPORTS}/${id}/actions/${INSERT_PROCESS}?after=${after}&limit=${limit}`),

    async submission(id: number): Promise<Answer<Submission>> {
      return client.call('GET', `${SUBMISSIONS}/${id}`);
    },

    /** Products, or files that are none, as CSV (RFC 4180), part by part. Safe for spreadsheets. */
    async csv(id: number, table: 'products' | 'files'): Promise<AsyncIterable<string>> {
      const { body } = await client.download(`${IMPORTS}/${id}/${table}.csv`);
      return (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true }));
    },

    /** A ZIP with the files to be repaired. Its body has not been read. */
    repairPack: (id: number): Promise<Response> => client.download(`${IMPORTS}/${id}/repair-pack`),
  };
}

export type PackageImports = ReturnType<typeof packageImportsOf>;

/** What was submitted of a product, over all imports, newest first. */
export function productsOf(client: ApiClient) {
  return {
    product: (productId: string, query: PageQuery = {}): Promise<Answer<Product>> =>
      client.call('GET', `/regulator/products/${encodeURIComponent(productId)}${queryOf(query)}`),
  };
}

/** What became of the imports of each day or hour, and what is stored of them. */
export function statisticsOf(client: ApiClient) {
  return {
    lines: (query: StatisticsQuery = {}): Promise<Answer<Statistics>> =>
      client.call('GET', `/regulator/statistics${queryOf(query)}`),
    stored: (query: Pick<StatisticsQuery, 'client_id'> = {}): Promise<Answer<Stored>> =>
      client.call('GET', `/regulator/statistics/stored${queryOf(query)}`),
  };
}

interface PageQuery {
  limit?: number | undefined;
  before?: number | undefined;
}

export interface StatisticsQuery {
  /** Days where nothing is said; hours of a few days at the most. */
  by?: 'day' | 'hour' | undefined;
  from?: string | undefined;
  to?: string | undefined;
  client_id?: string | undefined;
  limit?: number | undefined;
  before?: string | undefined;
}

/** The service's own login with the regulator. */
export function regulatorSessionOf(client: ApiClient) {
  const call = (method: string, path = '', json?: object) =>
    client.call<RegulatorSession>(method, SESSION + path, json === undefined ? {} : { json });
  return {
    state: () => call('GET'),
    logIn: () => call('POST'),
    verify: (code: string) => call('POST', '/verification', { code }),
    logOut: () => call('DELETE'),
  };
}

/** Whether products are being inserted; for operators. */
export function insertingOf(client: ApiClient) {
  const call = (method: string, path = '', json?: object) =>
    client.call<Inserting>(method, `/regulator/inserting${path}`, json === undefined ? {} : { json });
  return {
    state: () => call('GET'),
    pause: (reason: string) => call('POST', '/actions/pause', { reason }),
    resume: () => call('POST', '/actions/resume'),
  };
}

/** What has been done, by whom; for operators. */
export function auditEventsOf(client: ApiClient) {
  return {
    list: (query: AuditQuery = {}): Promise<Answer<AuditPage>> =>
      client.call('GET', `/regulator/audit-events${queryOf(query)}`),
  };
}

export interface AuditQuery {
  import_id?: number | undefined;
  submission_id?: number | undefined;
  actor?: string | undefined;
  /** One, or several with commas between. */
  action?: string | undefined;
  limit?: number | undefined;
  before?: number | undefined;
}

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function present(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return Object.fromEntries(given);
}
