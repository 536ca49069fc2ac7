/** Searches in lists, products over all imports, tables and statistics, as clients and operators request them. */
import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { plainReason, reasonText } from '../../src/contract/reasons.ts';
import { FILE_COLUMNS, PRODUCT_COLUMNS } from '../../src/contract/schemas/import-tables.ts';
import type { ImportSummary, Submission } from '../../src/contract/types.ts';
import type { FileOutcome } from '../../src/database/repositories/reading.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import { perStep } from '../../src/domain/steps.ts';
import { tenantOf } from '../../src/gateway/tokens/access-token.ts';
import { createdFile, invalidPackage, refusedFile, reportOf } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { CLIENT_PERMISSIONS, tokenOf } from '../support/tokens.ts';
import { call, download } from '../support/upload.ts';

const PUBLIC_URL = 'https://imports.company.example/api';

const stack = await startStack({
  withoutWorkers: true,
  env: { BASE_PATH: '/api', PUBLIC_URL: `${PUBLIC_URL}/`, AUTH_SUBMITTERS_CLAIM: 'submitters' },
});

const SUBMITTERS = ['11111', '22222'];

const clientToken = (clientId: string) =>
  tokenOf(stack, clientId, CLIENT_PERMISSIONS, { submitters: SUBMITTERS });

interface Made {
  clientId: string;
  fileName?: string;
  comment?: string | null;
  uploadedAt?: Date;
  files?: FileOutcome[];
}

async function make({
  clientId,
  fileName = 'a.zip',
  comment = null,
  uploadedAt = new Date(),
  files = [],
}: Made): Promise<number> {
  const uuid = randomUUID();
  const { id } = await stack.database.imports.create({
    uuid,
    clientId,
    tenant: tenantOf(clientId, SUBMITTERS),
    fileName,
    comment,
    uploadedAt,
    storageKey: uuid,
    zipFilePath: '/a',
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    notificationEmail: null,
  });
  await stack.database.reading.record(id, comment, files);
  return id;
}

async function get<D>(path: string, token?: string) {
  const answer = await call<D>(stack, 'GET', path, { token });
  return { ...answer, data: answer.body.data };
}

/** Target of the header `Link`, on this machine. */
function nextOf(headers: Headers): string | null {
  const link = headers.get('link');
  if (link === null) return null;
  const [, target = ''] = /^<(.*)>; rel="next"$/.exec(link) ?? [];
  expect(target).toMatch(new RegExp(`^${PUBLIC_URL}/regulator/`));
  return target.slice(PUBLIC_URL.length);
}

/** Every page of a list, by its `Link` headers alone. */
async function pagesOf<D>(path: string, token?: string): Promise<D[]> {
  const pages: D[] = [];
  for (let next: string | null = path; next !== null; ) {
    const { status, headers, data }: Awaited<ReturnType<typeof get<D>>> = await get<D>(next, token);
    expect(status).toBe(200);
    pages.push(data);
    next = nextOf(headers);
  }
  return pages;
}

interface Imports {
  imports: ImportSummary[];
  counts: { by_status: Record<string, number>; complete: boolean } | null;
  next_before: number | null;
}

describe('imports', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n, 12));
  let ids: number[];
  beforeAll(async () => {
    ids = [];
    for (const [n, fileName] of ['spring.zip', 'summer.zip', 'autumn.zip', 'winter.zip'].entries())
      ids.push(await make({ clientId: 'seasons', fileName, comment: `100% ${n}`, uploadedAt: day(n + 1) }));
    await stack.database.imports.fail(ids[0] ?? 0, invalidPackage('broken'), 'test');
    await make({ clientId: 'another', fileName: 'summer.zip', uploadedAt: day(2) });
  });
  const found = async (query: string, token?: string) => {
    const { imports } = (await get<Imports>(`/regulator/package-imports?${query}`, token)).data;
    return imports.map(({ id }) => ids.indexOf(id));
  };

  it.each([
    ['file_name=MER', [1]],
    ['comment=100%25%20', [3, 2, 1, 0]],
    ['comment=_', []],
    ['from=2026-01-02&to=2026-01-03', [2, 1]],
    ['from=2026-01-02T12:00:00Z&to=2026-01-03T13:00:00%2B01:00', [1]],
    ['status=failed', [0]],
    ['has_failures=true', [0]],
    ['has_failures=false&limit=2', [3, 2]],
    ['client_id=seasons', [3, 2, 1, 0]],
    ['client_id=nobody', []],
  ])('are found by %s', async (query, expected) => {
    const own = `${query}${query.includes('client_id') ? '' : '&client_id=seasons'}`;
    expect(await found(own)).toEqual(expected);
    if (!query.includes('nobody')) expect(await found(query, await clientToken('seasons'))).toEqual(expected);
  });

  it('are counted by status on the first page, and linked by the header', async () => {
    const path = '/regulator/package-imports?client_id=seasons&status=extracting&limit=2';
    const [first, second, ...more] = await pagesOf<Imports>(path);
    expect(more).toEqual([]);
    expect(first?.counts).toEqual({
      by_status: { extracting: 3, inserting: 0, completed: 0, failed: 1, cancelled: 0 },
      complete: true,
    });
    expect(second?.counts).toBeNull();
    const listed = [...(first?.imports ?? []), ...(second?.imports ?? [])];
    expect(listed.map(({ id }) => ids.indexOf(id))).toEqual([3, 2, 1]);
    expect(listed[0]).toMatchObject({ client_id: 'seasons', file_name: 'winter.zip', comment: '100% 3' });
  });

  it('of another client are refused, whether that client exists or not', async () => {
    const token = await clientToken('seasons');
    for (const path of ['package-imports', 'statistics'])
      for (const clientId of ['another', 'nobody']) {
        const answer = await get<{ code: string }>(`/regulator/${path}?client_id=${clientId}`, token);
        expect([answer.status, answer.data.code]).toEqual([403, 'missing_permission']);
        expect(answer.headers.get('www-authenticate')).toContain('scope="submissions-tool.operate"');
      }
    expect(await found('client_id=seasons&limit=1', token)).toEqual([3]);
    expect((await get<Imports>('/regulator/package-imports?limit=200', token)).data.imports).toHaveLength(4);
  });

  it('include the number of products by status, of those with warnings, and of refused files', async () => {
    const clientId = 'warned';
    const files = ['11111-26-00001', '22222-26-00001', '22222-26-00002', '22222-26-00003'].map((id, n) =>
      createdFile(id, n),
    );
    const warnings = [['w'], ['x'.repeat(5_000)], ['one', 'two'], []];
    for (const [n, file] of files.entries()) file.product.warnings = (warnings[n] ?? []).map(plainReason);
    const others = [refusedFile('failed', 4), refusedFile('failed', 5), refusedFile('skipped', 6)];
    await make({ clientId, files: [...files, ...others] });
    await make({ clientId, files: [refusedFile('failed', 0)] });
    const { imports } = (await get<Imports>('/regulator/package-imports', await clientToken(clientId))).data;
    expect(imports).toMatchObject([
      { progress: { local: 0 }, warned: 0, refused: 1 },
      { progress: { local: 4 }, warned: 3, refused: 2 },
    ]);
  });
});

describe('bad input', () => {
  it.each([
    'package-imports?client_id=%00',
    'package-imports?file_name=',
    `package-imports?comment=${'x'.repeat(501)}`,
    'package-imports?comment=a&comment=b',
    'package-imports?from=yesterday',
    'package-imports?from=2026-02-30',
    'package-imports?from=0000-01-01',
    'package-imports?to=9999-12-31',
    'package-imports?from=2026-01-01T00:00:00',
    'package-imports?from=2026-01-02&to=2026-01-01',
    'package-imports?has_failures=1',
    'package-imports?before=-1',
    'package-imports?status=done',
    'submissions?product_id=1',
    'audit-events?actor=%00',
    'products/1',
    'products/11111-26-00001?limit=201',
    'statistics?by=week',
    'statistics?from=2026-01-01T00:00:00Z',
    'statistics?from=2026-01-02&to=2026-01-01',
    'statistics?before=2026-01-02',
    'statistics?before=2026-13-02/a',
    'statistics?before=2026-01-02/%00',
    'package-imports/x/products.csv',
    'package-imports/9007199254740992/files.jsonl',
  ])('%s is refused', async (path) => {
    const { status, data } = await get<{ code: string }>(`/regulator/${path}`);
    expect([status, data.code]).toEqual([400, 'invalid_request']);
  });
});

describe('a product', () => {
  interface Product {
    product_id: string;
    submissions: (Submission & { changed_sections: string[] | null })[];
  }
  const productId = '11111-26-00777';
  const hashed = (hashes: Partial<Record<string, string>>) => ({
    ...createdFile(productId),
    sectionHashes: perStep((step) => hashes[step] ?? 'same'),
  });
  let ids: number[];
  beforeAll(async () => {
    ids = [];
    for (const [clientId, hashes] of [
      ['first', {}],
      ['second', { design: 'other' }],
      ['first', { design: 'other', emission: 'new' }],
      ['first', { design: 'other', emission: 'new' }],
    ] as const) {
      const importId = await make({ clientId, comment: clientId, files: [hashed(hashes)] });
      ids.push((await reportOf(stack.database, importId)).submissions[0]?.id ?? 0);
      await stack.database.imports.markRead(importId);
    }
  });
  const changes = (pages: Product[]) =>
    pages.flatMap(({ submissions }) =>
      submissions.map(({ id, changed_sections }) => [ids.indexOf(id), changed_sections]),
    );

  it('has all its submissions, newest first, each with its changed sections', async () => {
    for (const limit of [1, 2, 200]) {
      const pages = await pagesOf<Product>(`/regulator/products/${productId}?limit=${limit}`);
      expect(changes(pages)).toEqual([
        [3, []],
        [2, ['emission']],
        [1, ['design']],
        [0, null],
      ]);
    }
    const [page] = await pagesOf<Product>(`/regulator/products/${productId}`);
    expect(page).toMatchObject({
      product_id: productId,
      submissions: [{ product_id: productId, actions: ['regulator-insert'] }, {}, {}, {}],
    });
  });

  it('has the submission of a later import first, whichever was read first', async () => {
    const product = newProductId();
    const earlier = await make({ clientId: 'first' });
    const middle = await make({ clientId: 'first' });
    const later = await make({ clientId: 'first', files: [createdFile(product)] });
    for (const importId of [earlier, middle])
      await stack.database.reading.record(importId, null, [createdFile(product)]);
    for (const path of [`products/${product}?limit=1`, `submissions?product_id=${product}&limit=2`]) {
      const pages = await pagesOf<Product>(`/regulator/${path}`, await clientToken('first'));
      const imports = pages.flatMap(({ submissions }) => submissions.map((one) => one.zip_import_id.id));
      expect(imports).toEqual([later, middle, earlier]);
    }
  });

  it('shows a client its own submissions, compared with each other', async () => {
    const pages = await pagesOf<Product>(`/regulator/products/${productId}`, await clientToken('first'));
    expect(changes(pages)).toEqual([
      [3, []],
      [2, ['design', 'emission']],
      [0, null],
    ]);
  });

  it('is missing for clients without a submission of it', async () => {
    for (const [path, token] of [
      [productId, await clientToken('third')],
      ['11111-26-99999', undefined],
    ] as const) {
      const { status, data } = await get<{ code: string }>(`/regulator/products/${path}`, token);
      expect([status, data.code]).toEqual([404, 'not_found']);
    }
    const past = await get<Product>(`/regulator/products/${productId}?before=1`);
    expect([past.status, past.data.submissions]).toEqual([200, []]);
  });

  it('that an operator has read is in the audit trail', async () => {
    await get(`/regulator/products/${productId}`);
    expect(await stack.sql(`select actor, detail from audit_event where action = 'product.read'`)).toEqual([
      { actor: 'client:demo-client', detail: { product_id: productId } },
    ]);
  });
});

describe('tables', () => {
  const clientId = 'tables';
  let importId: number;
  beforeAll(async () => {
    const refused = (n: number, values: Partial<FileOutcome>): FileOutcome =>
      ({
        outcome: 'failed',
        entryIndex: n,
        entryPath: `export/${n}.xml`,
        xmlFile: `${n}.xml`,
        reasons: [plainReason('broken')],
        productId: null,
        ...values,
      }) as FileOutcome;
    const warned = createdFile('11111-26-00001', 0);
    warned.product.warnings = ['=cmd|calc', 'a "quoted", text\r\nof two lines'].map((text) => ({
      ...plainReason(text),
      line: 7,
    }));
    importId = await make({
      clientId,
      files: [
        warned,
        ...[createdFile('11111-26-00002', 1), createdFile('22222-26-00003', 2)],
        refused(3, {
          reasons: [plainReason('=HYPERLINK("http://evil.example")')],
          xmlFile: '@SUM(1).xml',
        }),
        ...['+1', '-1', '\tx', '\rx', '＝1', 'fine, "really"'].map((text, n) =>
          refused(4 + n, { reasons: [plainReason(text)] }),
        ),
        refused(20, { outcome: 'skipped', reasons: [plainReason('unchanged')], productId: '11111-26-00009' }),
        refused(21, { outcome: 'skipped', reasons: [plainReason('unchanged')], productId: '22222-26-00009' }),
      ],
    });
    const [first, second] = (await reportOf(stack.database, importId)).submissions;
    await stack.database.queue.recordResults(
      importId,
      [queued(first?.id ?? 0, randomUUID()), alreadyQueued(second?.id ?? 0, randomUUID(), 'active')],
      'test',
    );
  });

  async function table(name: string, token?: string, method = 'GET') {
    const path = `/regulator/package-imports/${importId}/${name}`;
    const response = await download(stack, path, { method, token: token ?? (await clientToken(clientId)) });
    // Not `text()`, which removes the byte order mark.
    return { response, text: Buffer.from(await response.arrayBuffer()).toString() };
  }
  const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true });
  const linesOf = (text: string): Record<string, unknown>[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

  it('of products have a line for each, equal in both forms', async () => {
    const csv = await table('products.csv');
    expect(csv.response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.response.headers.get('content-disposition')).toBe(
      `attachment; filename="package-import-${importId}-products.csv"`,
    );
    expect(csv.text.startsWith(`\uFEFF${PRODUCT_COLUMNS.join(',')}\r\n`)).toBe(true);
    expect(csv.text.endsWith('\r\n')).toBe(true);
    const rows = rowsOf(csv.text);
    expect(rows.map((row) => [row.product_id, row.status, row.queue_status])).toEqual([
      ['11111-26-00001', 'regulator_inserting', '202'],
      ['11111-26-00002', 'local', '409'],
      ['22222-26-00003', 'local', ''],
    ]);
    expect(rows[0]?.warnings).toBe(`'=cmd|calc (line 7)\na "quoted", text\r\nof two lines (line 7)`);

    const jsonl = await table('products.jsonl');
    expect(jsonl.response.headers.get('content-type')).toBe('application/jsonl');
    expect(jsonl.response.headers.get('content-disposition')).toContain(`${importId}-products.jsonl"`);
    const lines = linesOf(jsonl.text);
    expect(Object.keys(lines[0] ?? {})).toEqual([...PRODUCT_COLUMNS]);
    expect(lines[0]).toMatchObject({ import_id: importId, warnings: [{ text: '=cmd|calc', line: 7 }, {}] });
    const asCells = lines.map((line) =>
      Object.fromEntries(
        Object.entries(line).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.map(reasonText).join('\n').replace(/^=/, "'=") : String(value ?? ''),
        ]),
      ),
    );
    expect(asCells).toEqual(rows);
  });

  it('of files have failed and skipped files, and no formula', async () => {
    const rows = rowsOf((await table('files.csv')).text);
    expect(Object.keys(rows[0] ?? {})).toEqual([...FILE_COLUMNS]);
    expect(rows.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', `'=HYPERLINK("http://evil.example")`],
      ...["'+1", "'-1", "'\tx", "'\rx", "'＝1", 'fine, "really"'].map((reason) => ['failed', reason]),
      ...[1, 2].map(() => ['skipped', 'unchanged']),
    ]);
    expect(rows[0]?.xml_file).toBe("'@SUM(1).xml");
    const lines = linesOf((await table('files.jsonl')).text);
    expect(lines[0]).toEqual({
      import_id: importId,
      kind: 'product',
      outcome: 'failed',
      path: 'export/3.xml',
      xml_file: '@SUM(1).xml',
      product_id: null,
      reason: '=HYPERLINK("http://evil.example")',
    });
    expect(lines).toHaveLength(rows.length);
  });

  it('of an import without rows have a header; of other imports there are none', async () => {
    const empty = await make({ clientId });
    const path = (id: number, name: string) => `/regulator/package-imports/${id}/${name}`;
    for (const [name, text] of [
      ['products.csv', `\uFEFF${PRODUCT_COLUMNS.join(',')}\r\n`],
      ['files.csv', `\uFEFF${FILE_COLUMNS.join(',')}\r\n`],
      ['products.jsonl', ''],
      ['files.jsonl', ''],
    ] as const) {
      const answer = await download(stack, path(empty, name));
      expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(text);
      const others = await get<{ code: string }>(path(importId, name), await clientToken('stranger'));
      expect([others.status, others.data.code]).toEqual([404, 'not_found']);
      const head = await table(name, undefined, 'HEAD');
      expect([head.response.status, head.text]).toEqual([200, '']);
    }
  });
});

describe('statistics', () => {
  interface Statistics {
    statistics: Record<string, unknown>[];
    waiting_now: Record<string, unknown>[] | null;
    next_before: string | null;
  }

  it('are counted by a schedule, and read page by page', async () => {
    const clientId = 'counted';
    const at = (day: string) => new Date(`${day}T08:00:00Z`);
    const first = await make({
      clientId,
      uploadedAt: at('2024-05-01'),
      files: [createdFile(newProductId())],
    });
    await stack.database.imports.fail(
      await make({ clientId: 'counted too', uploadedAt: at('2024-05-01') }),
      invalidPackage('broken'),
      'test',
    );
    await make({ clientId, uploadedAt: at('2024-05-03') });
    const [product] = (await reportOf(stack.database, first)).submissions;
    await stack.database.queue.recordResults(first, [queued(product?.id ?? 0, randomUUID())], 'test');
    await stack.database.imports.markQueued(first);

    const path = '/regulator/statistics?from=2024-05-01&to=2024-05-31';
    const waiting = (await get<Statistics>(path, await clientToken(clientId))).data;
    expect(waiting).toEqual({
      statistics: [],
      next_before: null,
      waiting_now: [{ client_id: clientId, imports: 2, inserting: 1 }],
    });

    await stack.startWorkers();
    await stack.temporal.schedule.getHandle('package-import-statistics').trigger();
    await eventually(async () => (await get<Statistics>(path)).data.statistics.length === 3);
    const pages = await pagesOf<Statistics>(`${path}&limit=1&by=day`);
    const lines = pages.flatMap((page) => page.statistics);
    expect(lines.map(({ day, client_id }) => [day, client_id])).toEqual([
      ['2024-05-03', clientId],
      ['2024-05-01', clientId],
      ['2024-05-01', 'counted too'],
    ]);
    expect(pages.map(({ waiting_now }) => waiting_now === null)).toEqual([false, true, true]);
    const none = { extracting: 0, inserting: 0, completed: 0, failed: 0, cancelled: 0 };
    expect(lines[1]).toMatchObject({
      imports: { ...none, inserting: 1 },
      products: { local: 0, regulator_inserting: 1, regulator_inserted: 0, skipped: 0, refused: 0 },
      insert_seconds: null,
    });
    expect(lines[2]).toMatchObject({
      imports: { ...none, failed: 1 },
      failures: { package_unreadable: 1, file_refused: 0, not_queued: 0, insert_design: 0 },
    });
    const own = await pagesOf<Statistics>(path, await clientToken('counted too'));
    expect(own.flatMap((page) => page.statistics)).toEqual([lines[2]]);
  });

  it('by hour are counted with their day, and read page by page', async () => {
    const clientId = 'by the hour';
    const at = (time: string) => new Date(`2024-07-${time}:59.999Z`);
    await make({ clientId, uploadedAt: at('01T09:59') });
    await make({ clientId: 'by the hour, too', uploadedAt: at('01T09:00') });
    await make({ clientId, uploadedAt: at('03T23:59'), files: [createdFile(newProductId())] });
    for (const day of ['2024-07-01', '2024-07-03']) await stack.database.statistics.countDay(day);
    const path = '/regulator/statistics?by=hour';
    const pages = await pagesOf<Statistics>(`${path}&from=2024-07-01&to=2024-07-03&limit=1`);
    const lines = pages.flatMap((page) => page.statistics);
    expect(lines.map(({ day, begins_at, client_id }) => [day, begins_at, client_id])).toEqual([
      ['2024-07-03', '2024-07-03T23:00:00.000Z', clientId],
      ['2024-07-01', '2024-07-01T09:00:00.000Z', clientId],
      ['2024-07-01', '2024-07-01T09:00:00.000Z', 'by the hour, too'],
    ]);
    expect(lines[0]).toMatchObject({ products: { local: 1 }, received_bytes: 1 });
    const own = await get<Statistics>(`${path}&from=2024-07-01`, await clientToken('by the hour, too'));
    expect(own.data.statistics).toEqual([lines[2]]);
    for (const bound of ['from=2024-07-01', 'to=2024-07-03']) {
      const one = await get<Statistics>(`${path}&${bound}`, await clientToken(clientId));
      expect(one.data.statistics.map(({ day }) => day)).toEqual(['2024-07-03', '2024-07-01']);
    }
    const today = new Date().toISOString().slice(0, 10);
    await make({ clientId: 'by the hour, today' });
    const token = await clientToken('by the hour, today');
    await vi.waitFor(async () => {
      const { statistics } = (await get<Statistics>(path, token)).data;
      expect(statistics).toMatchObject([{ day: today, imports: { extracting: 1 } }]);
    }, 10_000);
    for (const [query, fault] of [
      ['&from=2024-99-99', 'must be a day such as 2026-01-31'],
      ['&from=2024-07-01&before=2024-07-01T24/a', 'must be `next_before` of a page'],
    ] as const) {
      const refused = await get<{ code: string }>(path + query);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(fault)]);
    }
  });

  it('show stored bytes: a client its own, an operator all', async () => {
    const token = await clientToken('keeps');
    await make({ clientId: 'keeps' });
    const line = { client_id: 'keeps', packages: 1, package_bytes: 1, attachment_bytes: 0 };
    const path = '/regulator/statistics/stored';
    expect((await get(path, token)).data).toEqual({ stored: [line] });
    expect((await get(path)).data).toEqual({ stored: expect.arrayContaining([line]) });
    expect((await get(`${path}?client_id=keeps`)).data).toEqual({ stored: [line] });
    expect((await get(`${path}?client_id=counted`, token)).status).toBe(403);
  });
});
