/**
 * Storage of oidc-provider for logged-in people: sessions, codes, refresh tokens. It is in memory, so a restart
 * logs everybody out. It is bounded, so nobody can fill it. Access tokens are JWTs and need no storage.
 */
import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterPayload } from 'oidc-provider';

const ENTRIES = 10_000;

/** One storage for all record kinds of a provider. */
export function createMemoryStorage(): (kind: string) => Adapter {
  const entries = new LRUCache<string, AdapterPayload>({ max: ENTRIES });
  return (kind) => {
    const keyOf = (id: string) => `${kind}:${id}`;
    const findBy = (field: 'uid' | 'userCode', value: string) =>
      [...entries.entries()].find(
        ([key, entry]) => key.startsWith(`${kind}:`) && entry[field] === value,
      )?.[1];
    return {
      async upsert(id, payload, expiresIn) {
        entries.set(keyOf(id), payload, { ttl: (expiresIn ?? 0) * 1000 });
      },
      find: async (id) => entries.get(keyOf(id)),
      findByUid: async (uid) => findBy('uid', uid),
      findByUserCode: async (userCode) => findBy('userCode', userCode),
      async consume(id) {
        const entry = entries.get(keyOf(id));
        if (entry) entry.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, entry] of [...entries.entries()]) if (entry.grantId === grantId) entries.delete(key);
      },
    };
  };
}
