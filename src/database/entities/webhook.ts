import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The webhook of a tenant: the URL of its messages, and the secrets of their signatures. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    tenant: p.text().primary(),
    /** Null: the tenant gets messages only for uploads that name a URL. */
    url: p.text().nullable(),
    /** `whsec_…`, encrypted (see `encryption.ts`). */
    encryptedSecret: p.text(),
    /** The previous secret, which also signs messages until its validity ends. */
    encryptedPreviousSecret: p.text().nullable(),
    previousSecretValidUntil: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});

export type WebhookRow = InferEntity<typeof Webhook>;
