import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_TARGETS } from '../../contract/statuses.ts';
import { ofImport } from './package-import.ts';

/** The webhook of a tenant: the URL of its messages, and the secrets of their signatures. */
export const Webhook = defineEntity({
  name: 'Webhook',
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

/** One message to one URL, with its status. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  properties: {
    id: p.bigint('number').primary(),
    /** The message's id, by which receivers detect repetitions. */
    uuid: p.uuid().unique(),
    /** Null for a message that is about no import. */
    packageImport: () => ofImport().nullable(),
    /** Client whose rate and slots the message takes. */
    clientId: p.text(),
    /** Tenant whose secret signs it. */
    tenant: p.text(),
    target: p.enum(WEBHOOK_TARGETS),
    url: p.text(),
    event: p.enum(WEBHOOK_EVENTS),
    /** Identifies the subject within the event, e.g. the import: it has one message per tenant and target. */
    occasion: p.text(),
    /** JSON exactly as sent: less than 1 KiB. */
    payload: p.text(),
    status: p.enum(DELIVERY_STATUSES),
    /** Attempts so far. */
    attempts: p.integer().default(0),
    lastAttemptAt: p.datetime(3).nullable(),
    /** HTTP status of the last attempt; null without an answer. */
    lastStatus: p.integer().nullable(),
    /** First bytes of the last answer's body; null without an answer. */
    lastBody: p.text().nullable(),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3),
    deliveredAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['event', 'occasion', 'tenant', 'target'] }],
  indexes: [
    { properties: ['packageImport'] },
    { properties: ['createdAt'] },
    { properties: ['tenant', 'id'] },
  ],
});

export type WebhookDeliveryRow = InferEntity<typeof WebhookDelivery>;
