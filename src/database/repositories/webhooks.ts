/** The webhook of each tenant: the URL of its messages and the secret of their signatures. */
import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { WEBHOOK_SECRET_PREFIX } from '../../domain/webhook.ts';
import { type Cipher, type Place, requireDecrypted } from '../encryption.ts';
import { Webhook, type WebhookRow } from '../entities/webhook.ts';
import type { Orm } from '../orm.ts';
import { statements } from '../statements.ts';
import { audit, changeAudited } from './audit-trail.ts';

/** Time for which the previous secret also signs messages. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
/** Length of a secret. Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;

const WITHOUT_SECRET = {
  what: 'The secret of the webhook',
  remedy: 'let the client delete its webhook and register it again',
};

export function createWebhookRepository(orm: Orm, cipher: Cipher) {
  const find = (tenant: string): Promise<WebhookRow | null> => orm.em.fork().findOne(Webhook, { tenant });

  const decrypt = (encrypted: string, place: Place) =>
    requireDecrypted(cipher, encrypted, place, WITHOUT_SECRET);

  return {
    find,

    /**
     * Changes and records nothing if the tenant has that URL already.
     *
     * @param url null for messages only to the URLs of uploads
     * @returns the new secret of a tenant without one, shown only now; null for a tenant that has one
     */
    async register(tenant: string, url: string | null, actor: string): Promise<string | null> {
      const secret = newSecret();
      return orm.em.fork().transactional(async (em) => {
        const changed = await statements(em).row<{ created: boolean }>`
          insert into webhook (tenant, url, encrypted_secret, updated_at)
          values (${tenant}, ${url}, ${cipher.encrypt(secret, presentOf(tenant))}, now())
          on conflict (tenant) do update set url = excluded.url, updated_at = excluded.updated_at
            where webhook.url is distinct from excluded.url
          returning xmax = 0 as created
        `;
        if (changed) await audit(em, { actor, action: 'webhook.registered', detail: { url } });
        return changed?.created ? secret : null;
      });
    },

    /**
     * Creates a new secret. For a day the previous secret also signs messages, so that a receiver misses none during
     * its change. A second rotation within the day drops the oldest secret.
     *
     * @returns null for a tenant without a webhook
     * @throws when no configured secret decrypts the present one
     */
    async rotate(tenant: string, actor: string): Promise<{ secret: string; webhook: WebhookRow } | null> {
      const secret = newSecret();
      return orm.em.fork().transactional(async (em) => {
        const webhook = await em.findOne(Webhook, { tenant }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!webhook) return null;
        Object.assign(webhook, {
          // Encrypted again: a value is bound to its column.
          encryptedPreviousSecret: cipher.encrypt(
            decrypt(webhook.encryptedSecret, presentOf(tenant)),
            previousOf(tenant),
          ),
          previousSecretValidUntil: new Date(Date.now() + OVERLAP_MS),
          encryptedSecret: cipher.encrypt(secret, presentOf(tenant)),
          updatedAt: new Date(),
        });
        await audit(em, { actor, action: 'webhook.secret_rotated' });
        return { secret, webhook };
      });
    },

    /** Removes the webhook with its secrets. False for a tenant without one. */
    async remove(tenant: string, actor: string): Promise<boolean> {
      const entry = { actor, action: 'webhook.removed' };
      return changeAudited(orm, (em) => em.nativeDelete(Webhook, { tenant }), entry);
    },

    /**
     * Secrets that sign messages to a tenant, newest first; none for a tenant without a webhook.
     *
     * @throws when no configured secret decrypts them
     */
    async secrets(tenant: string): Promise<string[]> {
      const row = await find(tenant);
      if (!row) return [];
      const { encryptedSecret, encryptedPreviousSecret: previous, previousSecretValidUntil: until } = row;
      const isValid = until != null && until > new Date();
      return [
        decrypt(encryptedSecret, presentOf(tenant)),
        ...(previous && isValid ? [decrypt(previous, previousOf(tenant))] : []),
      ];
    },
  };
}

function presentOf(tenant: string): Place {
  return { table: 'webhook', column: 'encrypted_secret', row: tenant };
}

function previousOf(tenant: string): Place {
  return { table: 'webhook', column: 'encrypted_previous_secret', row: tenant };
}

function newSecret(): string {
  return WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}
