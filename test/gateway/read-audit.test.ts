/** Reads by operators are recorded once an hour. The gateway shows nothing when it cannot record the read. */
import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import type { AuditEntry } from '../../src/database/repositories/audit-trail.ts';
import { createReadAudit } from '../../src/gateway/ownership.ts';
import type { Caller } from '../../src/gateway/tokens/access-token.ts';

const OPERATOR = {
  clientId: 'page',
  tenant: 'page',
  actor: 'person:operator',
  permissions: new Set([PERMISSIONS.operate]),
} as unknown as Caller;
const READ = { action: 'import.list_read' } as const;
const HOUR_MS = 3_600_000;

/** A trail whose records stay pending until the test releases them. */
function opened() {
  const recorded: AuditEntry[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let at = 1;
  const record = (entry: AuditEntry) => {
    recorded.push(entry);
    const written = Promise.withResolvers<void>();
    waiting.push(written);
    return written.promise;
  };
  const { note } = createReadAudit({ record }, () => at);
  return {
    recorded,
    look: (importId?: number) => note(OPERATOR, null, importId === undefined ? READ : { ...READ, importId }),
    written() {
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    failed() {
      for (const { reject } of waiting.splice(0)) reject(new Error('no database'));
    },
    later(ms: number) {
      at += ms;
    },
  };
}

it('concurrent requests are recorded once, and answered after that', async () => {
  const { recorded, look, written } = opened();
  let answered = 0;
  const looks = [look(), look()].map(async (one) => {
    await one;
    answered += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([recorded.length, answered]).toEqual([1, 0]);
  written();
  await Promise.all(looks);
  await look();
  expect(recorded).toEqual([{ actor: 'person:operator', ...READ }]);
});

it('a read is recorded again after an hour, or after a failed record', async () => {
  const { recorded, look, written, failed, later } = opened();
  const looks = [look(), look()];
  failed();
  expect((await Promise.allSettled(looks)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = look();
  written();
  await again;
  later(HOUR_MS + 1);
  const nextHour = look();
  written();
  await nextHour;
  expect(recorded).toHaveLength(3);
});

it('the memory of recorded reads is bounded: the oldest is forgotten, and recorded again', async () => {
  const { recorded, look, written } = opened();
  const read = async (importId: number) => {
    const looked = look(importId);
    written();
    await looked;
  };
  for (let importId = 1; importId <= 10_001; importId++) await read(importId);
  await read(2);
  expect(recorded).toHaveLength(10_001);
  await read(1);
  expect(recorded).toHaveLength(10_002);
});
