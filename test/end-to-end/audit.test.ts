/** Audit events beyond changes: wrong codes, repair packs, and reads by operators. */
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { call, download, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

interface Session {
  status: string;
  regulator_session_message: string;
}

const stack = await startStack();

const events = (action: string) =>
  stack.sql<{ actor: string; import_id: number | null; submission_id: number | null; detail: unknown }>(
    `select actor, import_id, submission_id, detail from audit_event where action = '${action}' order by id`,
  );
const session = (method: string, path = '', json?: object) =>
  call<Session>(stack, method, `/regulator/session${path}`, json === undefined ? {} : { json });
const giveCode = (code: string) => session('POST', '/verification', { code });

describe('wrong verification codes', () => {
  it('end the login at the fifth, and each is recorded', async () => {
    await session('POST');
    for (const left of ['4 tries left', '3 tries left', '2 tries left', '1 try left']) {
      const answer = await giveCode('wrong');
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(left)]);
      expect((await session('GET')).body.data.status).toBe('awaiting_verification_code');
    }
    expect((await giveCode('wrong')).body.message).toContain('Too many wrong verification codes');
    expect((await session('GET')).body.data.status).toBe('none');
    expect((await giveCode('wrong')).body.message).toContain('No login is waiting');
    expect((await events('regulator-session.wrong_code')).map(({ detail }) => detail)).toEqual(
      [4, 3, 2, 1, 0].map((tries_left) => ({ tries_left })),
    );
    expect(await events('regulator-session.login_ended')).toHaveLength(1);
  });

  it('at the same time are at most five', async () => {
    const asked = () => stack.sql("select 1 from audit_event where action = 'regulator-session.wrong_code'");
    const before = (await asked()).length;
    await session('POST');
    const answers = await Promise.all(Array.from({ length: 20 }, () => giveCode('wrong')));
    expect(answers.every(({ status }) => status === 400)).toBe(true);
    expect((await asked()).length - before).toBe(5);
    expect((await session('GET')).body.data.status).toBe('none');
  });

  it('do not count for the next login', async () => {
    await session('POST');
    expect((await giveCode('wrong')).body.message).toContain('4 tries left');
    await stack.logIn();
    expect((await session('GET')).body.data.status).toBe('active');
  });
});

describe('the trail', () => {
  interface Trail {
    audit_events: { id: number; action: string }[];
    next_before: number | null;
  }
  const trail = async (query: string) =>
    (await call<Trail>(stack, 'GET', `/regulator/audit-events?${query}`)).body.data;

  it('is filtered by one action or several, newest first, page by page', async () => {
    await session('POST');
    await giveCode('wrong');
    await session('DELETE');
    const asked = 'regulator-session.login,%20regulator-session.logout';
    const all = await trail(`action=${asked}&limit=100`);
    expect(all.audit_events.slice(0, 2).map(({ action }) => action)).toEqual([
      'regulator-session.logout',
      'regulator-session.login',
    ]);
    const first = await trail(`action=${asked}&limit=1`);
    const second = await trail(`action=${asked}&limit=1&before=${first.next_before}`);
    expect([...first.audit_events, ...second.audit_events]).toEqual(all.audit_events.slice(0, 2));
    const one = await trail('action=regulator-session.login');
    expect(new Set(one.audit_events.map(({ action }) => action))).toEqual(
      new Set(['regulator-session.login']),
    );
    expect((await trail('action=regulator-session')).audit_events).toEqual([]);
    const byActor = async (actor: string) => (await trail(`actor=${actor}&limit=1`)).audit_events;
    expect(await byActor('client:nobody')).toEqual([]);
    expect(await byActor('client:demo-client')).toMatchObject([{ action: 'regulator-session.logout' }]);
    await stack.logIn();
  });
});

describe('a read event', () => {
  it('is recorded once an hour for an operator who reads the import of another client, and never for its owner', async () => {
    const owner = await tokenOf(stack, 'owner');
    const zip = await zipOf({ [productPath('a')]: productXml(), [productPath('b')]: '<broken' });
    const { data } = (await upload(stack, zip, { token: owner })).body;
    const [submission] = data.submissions;
    const paths = [
      `/regulator/package-imports/${data.id}`,
      `/regulator/package-imports/${data.id}?view=summary`,
      `/regulator/package-imports/${data.id}/files.jsonl`,
      `/regulator/submissions/${submission?.id}`,
      '/regulator/package-imports',
      '/regulator/submissions',
    ];
    for (const path of paths) await call(stack, 'GET', path, { token: owner });
    for (const path of [...paths, ...paths]) await call(stack, 'GET', path);
    await (await download(stack, `/regulator/submissions/${submission?.id}/xml`)).body?.cancel();
    const actor = 'client:demo-client';
    const ofSubmission = { actor, import_id: data.id, submission_id: submission?.id };
    expect(await events('import.read')).toMatchObject([{ actor, import_id: data.id }]);
    expect(await events('submission.read')).toMatchObject([ofSubmission]);
    expect(await events('submission.xml_read')).toMatchObject([ofSubmission]);
    expect(await events('import.list_read')).toMatchObject([{ actor }]);
    expect(await events('submission.list_read')).toMatchObject([{ actor }]);
  });

  it('is recorded for downloads of a repair pack', async () => {
    const owner = await tokenOf(stack, 'owner');
    const zip = await zipOf({ [productPath('b')]: '<broken' });
    const { data } = (await upload(stack, zip, { token: owner })).body;
    await eventually(async () => {
      const path = `/regulator/package-imports/${data.id}/repair-pack`;
      const pack = await download(stack, path, { token: owner });
      await pack.body?.cancel();
      return pack.status === 200;
    });
    expect(await events('import.repair_pack_read')).toMatchObject([
      { actor: 'client:owner', import_id: data.id },
    ]);
  });
});
