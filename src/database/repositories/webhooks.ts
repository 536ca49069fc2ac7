/** The webhook of each client: the URL of its messages and the secret of their signatures. */
import { randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../../domain/webhook.ts';
import { audit } from '../audit.ts';
import type { Cipher } from '../encryption.ts';
import { Webhook, type WebhookRow } from '../entities/webhook.ts';
import type { Orm } from '../orm.ts';

/** Time for which the previous secret also signs messages. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;
/** Length of a secret. Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32;

export function createWebhookRepository(orm: Orm, cipher: Cipher) {
  const find = (clientId: string): Promise<WebhookRow | null> => orm.em.fork().findOne(Webhook, { clientId });

  function decrypt(encrypted: string): string {
    try {
      return cipher.decrypt(encrypted);
    } catch {
      throw new Error(
        'The secret of the webhook cannot be decrypted: ENCRYPTION_SECRET is not the one that it was stored with. Set the same for all processes, or have the client register its webhook anew.',
      );
    }
  }

  return {
    find,

    /**
     * @param url null for messages only to the URLs of uploads
     * @returns the new secret of a client without one, shown only now; null for a client that has one
     */
    async register(clientId: string, url: string | null, actor: string): Promise<string | null> {
      const secret = newSecret();
      return orm.em.fork().transactional(async (em) => {
        const [row] = await em.execute<{ created: boolean }[]>(
          `insert into webhook (client_id, url, encrypted_secret, updated_at) values (?, ?, ?, now())
           on conflict (client_id) do update set url = excluded.url, updated_at = excluded.updated_at
           returning xmax = 0 as created`,
          [clientId, url, cipher.encrypt(secret)],
        );
        await audit(em, [{ actor, action: 'webhook.registered', detail: { url } }]);
        return row?.created ? secret : null;
      });
    },

    /**
     * Creates a new secret. For a day the previous secret also signs messages, so that a receiver misses none during
     * its change. A second rotation within the day drops the oldest secret.
     *
     * @returns null for a client without a webhook
     */
    async rotate(clientId: string, actor: string): Promise<{ secret: string; webhook: WebhookRow } | null> {
      const secret = newSecret();
      return orm.em.fork().transactional(async (em) => {
        const webhook = await em.findOne(Webhook, { clientId }, { lockMode: 4 });
        if (!webhook) return null;
        Object.assign(webhook, {
          encryptedPreviousSecret: webhook.encryptedSecret,
          previousSecretValidUntil: new Date(Date.now() + OVERLAP_MS),
          encryptedSecret: cipher.encrypt(secret),
          updatedAt: new Date(),
        });
        await audit(em, [{ actor, action: 'webhook.secret_rotated' }]);
        return { secret, webhook };
      });
    },

    /** Removes the webhook with its secrets. False for a client without one. */
    async remove(clientId: string, actor: string): Promise<boolean> {
      return orm.em.fork().transactional(async (em) => {
        const removed = await em.nativeDelete(Webhook, { clientId });
        if (removed > 0) await audit(em, [{ actor, action: 'webhook.removed' }]);
        return removed > 0;
      });
    },

    /**
     * Secrets that sign messages to a client, newest first; none for a client without a webhook.
     *
     * @throws when they were encrypted with another ENCRYPTION_SECRET
     */
    async secrets(clientId: string): Promise<string[]> {
      const row = await find(clientId);
      if (!row) return [];
      const previous = row.previousSecretValidUntil && row.previousSecretValidUntil > new Date();
      const encrypted = [row.encryptedSecret, ...(previous ? [row.encryptedPreviousSecret] : [])];
      return encrypted.flatMap((one) => (one ? [decrypt(one)] : []));
    },
  };
}

function newSecret(): string {
  return WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}
