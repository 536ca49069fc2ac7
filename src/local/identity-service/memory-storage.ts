/**
 * What oidc-provider keeps of people who are logged in: sessions, codes, refresh tokens. In memory, so that a restart
 * logs everybody out; bounded, so that nobody fills it. Access tokens are JWTs, which carry everything themselves.
 */
import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterPayload } from 'oidc-provider';

const ENTRIES = 10_000;

/** One for all kinds of a provider. */
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
