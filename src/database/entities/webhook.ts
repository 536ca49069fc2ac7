import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** Where a client wants to hear of its imports, and by what it knows that it hears from us. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    clientId: p.string().primary(),
    /** Null: only uploads that name a URL of their own are told of. */
    url: p.text().nullable(),
    /** `whsec_…`, encrypted (see `encryption.ts`). */
    encryptedSecret: p.text(),
    /** The one before, with which messages are signed as well for a while. */
    encryptedPreviousSecret: p.text().nullable(),
    previousSecretValidUntil: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});

export type WebhookRow = InferEntity<typeof Webhook>;
