/**
 * Encryption at rest of what workflows take, give and keep: payloads in histories, memos and summaries. Nobody
 * without a key can read them, the Temporal server and its operators included. Workflow ids, search attributes and
 * fairness keys stay readable: the server works with them.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  type DataConverter,
  METADATA_ENCODING_KEY,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';

export interface PayloadKey {
  /** Kept beside what it has encrypted, readable. */
  id: string;
  /** Any text with enough entropy. */
  secret: string;
}

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const text = (value: Uint8Array | null | undefined) => Buffer.from(value ?? []).toString('utf8');

/**
 * AES-256-GCM; the first key encrypts, all of them decrypt. Every payload has a key of its own, derived from the
 * key and a random salt (HKDF, RFC 5869), so that no number of payloads uses up the random initialisation
 * vectors of one. What is not encrypted is passed on as it is: histories from before stay readable; unless `only` says
 * that nothing of before is left.
 *
 * @throws from `decode` when the key is not there, or the payload was tampered with
 */
export function createPayloadCodec(keys: readonly PayloadKey[], { only = false } = {}): PayloadCodec {
  const masterKeys = new Map(
    keys.map(({ id, secret }) => [id, scryptSync(secret, 'package-import/temporal-payloads', KEY_BYTES)]),
  );
  const [first] = keys;
  if (!first) throw new Error('TEMPORAL_PAYLOAD_KEYS: at least one key is needed');

  function keyFor(id: string, salt: Uint8Array): Buffer {
    const masterKey = masterKeys.get(id);
    if (!masterKey) {
      throw new Error(
        `The payload was encrypted with the key "${id}", which is not in TEMPORAL_PAYLOAD_KEYS`,
      );
    }
    return Buffer.from(hkdfSync('sha256', masterKey, salt, id, KEY_BYTES));
  }

  function encrypt({ id }: PayloadKey, payload: Payload): Payload {
    const salt = randomBytes(SALT_BYTES);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyFor(id, salt), iv).setAAD(Buffer.from(id));
    const body = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()];
    return {
      metadata: { [METADATA_ENCODING_KEY]: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
      data: Buffer.concat([salt, iv, cipher.getAuthTag(), ...body]),
    };
  }

  function decrypt(payload: Payload): Payload {
    if (text(payload.metadata?.[METADATA_ENCODING_KEY]) !== ENCODING) {
      if (only) throw new Error('The payload is not encrypted, which TEMPORAL_PAYLOAD_KEYS_ONLY demands');
      return payload;
    }
    const id = text(payload.metadata?.[KEY_ID]);
    const data = Buffer.from(payload.data ?? []);
    const [salt, iv, tag] = cut(data, SALT_BYTES, IV_BYTES, TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, keyFor(id, salt), iv)
      .setAAD(Buffer.from(id))
      .setAuthTag(tag);
    const body = data.subarray(SALT_BYTES + IV_BYTES + TAG_BYTES);
    return PayloadMessage.decode(Buffer.concat([decipher.update(body), decipher.final()]));
  }

  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(first, payload)),
    decode: async (payloads) => payloads.map(decrypt),
  };
}

function cut(data: Buffer, first: number, second: number, third: number): [Buffer, Buffer, Buffer] {
  return [
    data.subarray(0, first),
    data.subarray(first, first + second),
    data.subarray(first + second, first + second + third),
  ];
}

/** The failures of workflows and activities as payloads; to be bundled with the workflows too. */
export const ENCODED_FAILURES = fileURLToPath(
  new URL('../../workflows/encoded-failures.ts', import.meta.url),
);

/** For clients and workers alike; null where payloads stay readable. */
export function dataConverterOf(codec: PayloadCodec | null): { dataConverter?: DataConverter } {
  if (codec === null) return {};
  return { dataConverter: { payloadCodecs: [codec], failureConverterPath: ENCODED_FAILURES } };
}
