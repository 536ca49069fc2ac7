/** Guarantees of the records: written once, never lost, never changed without an audit event. */
import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { connect } from '../../src/database/orm.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import {
  createdFile,
  invalidPackage,
  newAttachment,
  newImport,
  newSubmission,
  openAgain,
  openTestDatabase,
  reportOf,
} from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

/** The counts of an import without products. */
const NONE = { created: 0, skipped: 0, failed: 0, queued: 0, queueFailed: 0, inserted: 0, insertFailed: 0 };

const { database, url } = await openTestDatabase();

const sql = <T>(statement: string) => runSql<T>(url, statement);

describe('the schema', () => {
  it('equals the entities: no migration is missing', async () => {
    const orm = await connect(url);
    const pending = await orm.schema.getUpdateSchemaSQL();
    await orm.close(true);
    expect(pending.trim()).toBe('');
  });

  it('is named by its variable when it cannot be reached', async () => {
    const nobody = 'postgresql://user:password@127.0.0.1:1/database';
    await expect(openAgain(nobody)).rejects.toThrow(/^DATABASE_URL: connect ECONNREFUSED/);
  });

  it('is refused when a migration is pending', async () => {
    const { url: stale } = await createTestDatabase();
    await runSql(stale, 'delete from mikro_orm_migrations');
    await expect(openAgain(stale)).rejects.toThrow(/out of date.*npm run migrate/);
  });
});

describe('a page of a product', () => {
  it("does not tell where another tenant's submission lies, nor whether there is one", async () => {
    const [own, foreign] = [newProductId(), newProductId()];
    await newSubmission(database, own);
    const importId = await newImport(database, { clientId: 'other', tenant: 'other' });
    await database.reading.record(importId, null, [createdFile(foreign)]);
    const { submissions } = await reportOf(database, importId);
    const product = { productId: own, tenant: 'client' };
    for (const before of [submissions[0]?.id ?? 0, 1_000_000]) {
      expect(await database.submissions.list(product, { limit: 9, before })).toMatchObject({ page: [] });
      expect(await database.dossiers.scope({ ...product, before }, 9)).toBeNull();
    }
  });
});

describe('reading', () => {
  it('stores file names and texts unchanged, whatever characters they contain', async () => {
    const nasty = `'; drop table submission; -- \\ " ? $1 \\x00 {} é 🚬 \u2028 \t`;
    const file = { ...createdFile(newProductId(), 0, nasty), rawXml: gzipSync(`<x>${nasty}</x>`) };
    const importId = await newImport(database);
    const reasons = [{ ...plainReason(nasty), path: 'Product/Design', line: 7 }];
    await database.reading.record(importId, nasty, [
      file,
      { outcome: 'failed', entryIndex: 1, entryPath: nasty, xmlFile: nasty, reasons, productId: null },
    ]);
    const [row] = await sql<{ sections: unknown; warnings: unknown; comment: string; raw_xml: Buffer }>(
      `select sections, warnings, comment, raw_xml from submission where zip_import_id = ${importId}`,
    );
    expect(row).toMatchObject({ sections: file.product.sections, warnings: [], comment: nasty });
    expect(gunzipSync(row?.raw_xml ?? '').toString()).toBe(`<x>${nasty}</x>`);
    const failed = `select xml_file, reasons from zip_import_file where zip_import_id = ${importId}`;
    expect(await sql(failed)).toEqual([{ xml_file: nasty, reasons }]);
  });

  it('recorded twice changes nothing: a file keeps its first outcome', async () => {
    const importId = await newImport(database);
    const file = createdFile(newProductId());
    await database.reading.record(importId, null, [file]);
    const { outcome: _, ...entry } = file;
    await database.reading.record(importId, null, [
      file,
      { ...entry, outcome: 'failed', reasons: [plainReason('late')], productId: null },
    ]);
    expect(await database.reports.counts(importId)).toEqual({ ...NONE, created: 1 });
    const recorded = await database.reading.recorded(importId);
    expect(recorded.paths.has(file.entryPath)).toBe(true);
  });

  it('recorded by two attempts at the same time has one outcome', async () => {
    const importId = await newImport(database);
    const files = Array.from({ length: 20 }, (_, index) => createdFile(newProductId(), index));
    const late = files.map(({ outcome: _, ...entry }) => ({
      ...entry,
      outcome: 'failed' as const,
      reasons: [plainReason('late')],
      productId: null,
    }));
    await Promise.all([
      database.reading.record(importId, null, files),
      database.reading.record(importId, null, late),
    ]);
    const { created, failed } = await database.reports.counts(importId);
    expect(created + failed).toBe(files.length);
  });

  it.each<[string, (importId: number) => Promise<unknown>]>([
    ['failure', (id) => database.imports.fail(id, invalidPackage('entry is damaged'), 'test')],
    ['cancellation', (id) => database.imports.complete(id, 'cancelled', 'test')],
  ])('that comes after the %s of its import is not recorded', async (_, end) => {
    const importId = await newImport(database);
    await end(importId);
    await database.reading.record(importId, null, [createdFile(newProductId())]);
    const { referredFiles } = database;
    const [tenant, entryPath] = ['client', 'a.xml'];
    const submitter = { tenant, submitterId: '12345', entryPath, details: {} };
    await referredFiles.recordSubmitter(importId, submitter);
    const unreadable = { kind: 'attachment' as const, xmlFile: 'b.xml', reasons: [plainReason('damaged')] };
    await referredFiles.recordUnreadable(importId, { ...unreadable, entryIndex: 1, entryPath });
    await referredFiles.recordAttachment(importId, newAttachment(), async () => {});
    expect(await database.reports.counts(importId)).toMatchObject({ created: 0 });
    expect(await referredFiles.recorded(importId)).toEqual({ paths: new Set(), unreadable: 0 });
  });

  it('of a package that was read stays: its products may be inserted already', async () => {
    const importId = await newImport(database);
    await database.reading.record(importId, null, [createdFile(newProductId())]);
    await database.imports.markRead(importId);
    await database.imports.fail(importId, invalidPackage('the ZIP is gone'), 'test');
    expect(await database.reports.counts(importId)).toMatchObject({ created: 1 });
    expect((await database.imports.find(importId))?.status).toBe('extracting');
  });

  it('of an unreadable package leaves no submissions, but the reason', async () => {
    const importId = await newImport(database);
    await database.reading.record(importId, null, [createdFile(newProductId())]);
    await database.imports.fail(importId, invalidPackage('entry is damaged'), 'test');
    expect(await database.reports.counts(importId)).toEqual(NONE);
    expect(await database.imports.find(importId)).toMatchObject({
      status: 'failed',
      failureReason: 'entry is damaged',
    });
  });
});

describe('queue results', () => {
  it('are never overwritten', async () => {
    const { importId, id } = await newSubmission(database, newProductId());
    const [job, other] = [randomUUID(), randomUUID()];
    await database.queue.recordResults(importId, [alreadyQueued(id, job, 'waiting')], 'test');
    await database.queue.recordResults(importId, [queued(id, other)], 'test');
    const { submissions } = await reportOf(database, importId);
    expect(submissions).toMatchObject([{ id, queueResult: { status: 409, jobId: job } }]);
  });

  it('are counted as of one moment while more are recorded', async () => {
    const importId = await newImport(database);
    const files = Array.from({ length: 50 }, (_, n) => createdFile(newProductId(), n));
    await database.reading.record(importId, null, files);
    const { submissions } = await reportOf(database, importId);
    let isRecording = true;
    const recording = async () => {
      for (const { id } of submissions)
        await database.queue.recordResults(importId, [queued(id, randomUUID())], 'test');
      isRecording = false;
    };
    const refused = new Set<number>();
    const counting = async () => {
      while (isRecording) refused.add((await database.reports.counts(importId)).queueFailed);
    };
    await Promise.all([recording(), counting(), counting()]);
    expect([...refused]).toEqual([0]);
  });
});

describe('the audit trail', () => {
  it('of a submission has no events of imports', async () => {
    const { id } = await newSubmission(database, newProductId());
    await newImport(database);
    const { events } = await database.auditTrail.list(
      { submissionId: id, actions: ['import.created'] },
      { limit: 10 },
    );
    expect(events).toEqual([]);
  });

  it('is searched a bounded number of entries at a time, and no entry is missed', async () => {
    const { auditTrail } = database;
    const actor = 'client:seldom';
    for (let n = 0; n < 12; n += 1)
      await auditTrail.record({ actor: n % 6 === 0 ? actor : 'client:often', action: 'import.read' });
    const found: number[] = [];
    const pages: number[] = [];
    for (let before: number | undefined; ; ) {
      const { events, nextBefore } = await auditTrail.list({ actor }, { limit: 5, before, scanLimit: 5 });
      pages.push(events.length);
      found.push(...events.map(({ id }) => id));
      if (nextBefore === null) break;
      before = nextBefore;
    }
    expect(pages.slice(0, 3)).toEqual([0, 1, 1]);
    expect(found).toEqual(found.toSorted((a, b) => b - a));
    const all = await auditTrail.list({ actor }, { limit: 5 });
    expect(all).toMatchObject({ events: found.map((id) => ({ id })), nextBefore: null });
  });

  it('holds every status change with its actor, and cannot be changed', async () => {
    const { id } = await newSubmission(database, newProductId());
    const run = randomUUID();
    await database.insertRuns.begin(id, run, 'workflow:x');
    await database.insertRuns.fail(id, run, [plainReason('refused')], 'workflow:x');
    const events = await sql<{ action: string; actor: string }>(
      `select action, actor from audit_event where submission_id = ${id} order by id`,
    );
    expect(events).toEqual([
      { action: 'submission.regulator_inserting', actor: 'workflow:x' },
      { action: 'submission.regulator_insert_failed', actor: 'workflow:x' },
    ]);
    await expect(sql('update audit_event set actor = null')).rejects.toThrow(/append-only/);
    await expect(sql('delete from audit_event')).rejects.toThrow(/append-only/);
    await expect(sql('truncate audit_event')).rejects.toThrow(/append-only/);
  });
});

describe('the regulator session', () => {
  it('stores its token encrypted, and an expiry removes only that token', async () => {
    const { regulatorSession } = database;
    await regulatorSession.storeActive('secret-token', new Date(Date.now() + 60_000), 'test');
    const [row] = await sql<{ encrypted_token: string }>('select encrypted_token from regulator_session');
    expect(row?.encrypted_token).not.toContain('secret-token');
    expect(await regulatorSession.active()).toMatchObject({ token: 'secret-token' });
    await regulatorSession.expire('another-token', 'test');
    expect((await regulatorSession.state()).status).toBe('active');
    await regulatorSession.expire('secret-token', 'test');
    expect((await regulatorSession.state()).status).toBe('expired');
  });
});
