/**
 * Encryption at rest of the regulator session's token and of webhook secrets: AES-256-GCM with keys from the
 * configuration. An encrypted value names its key, so that the secret can be rotated, and is bound to its column and row,
 * so that nobody can move it to another one (decision §encrypted-values).
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { sql } from 'kysely';
import type { Orm } from './orm.ts';
import { statements } from './statements.ts';

/** The column and row of an encrypted value. */
export interface Place {
  table: string;
  column: string;
  /** The row's primary key. */
  row: string;
}

export interface Cipher {
  /** Encrypts with the newest secret. */
  encrypt(plain: string, place: Place): string;
  /** @throws when none of the secrets encrypted it for this place, or it was tampered with */
  decrypt(encrypted: string, place: Place): string;
  /** The beginning of every value that the newest secret has encrypted. */
  readonly newestPrefix: string;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_CHARACTERS = 8;

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * @param secrets newest first: any texts with enough entropy. A 256-bit key is derived from each (scrypt, RFC 7914), and
 *   the key's id from the key. None for a process whose role needs none: then everything throws
 */
export function createCipher(secrets: readonly string[]): Cipher {
  const keys = secrets.map(keyOf);
  const newestKey = () => {
    const [newest] = keys;
    if (!newest) throw new Error('this process has no ENCRYPTION_SECRET, because its role needs none');
    return newest;
  };
  return {
    get newestPrefix() {
      return prefixOf(newestKey());
    },

    encrypt(plain, place) {
      const newest = newestKey();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, newest.bytes, iv).setAAD(boundTo(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return prefixOf(newest) + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },

    decrypt(encrypted, place) {
      const key = keys.find((one) => encrypted.startsWith(prefixOf(one)));
      if (key === undefined)
        throw new Error('this value was encrypted with a secret that ENCRYPTION_SECRET does not contain');
      const bytes = Buffer.from(encrypted.slice(prefixOf(key).length), 'base64');
      const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      }).setAAD(boundTo(place));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
  };
}

/** Keys of this process: a derivation takes 50 ms of processor time, and each opened database needs the same. */
const keysOfProcess = new Map<string, Key>();

function keyOf(secret: string): Key {
  const key = keysOfProcess.get(secret) ?? deriveKey(secret);
  keysOfProcess.set(secret, key);
  return key;
}

function deriveKey(secret: string): Key {
  const bytes = scryptSync(secret, 'package-import/encrypted-values', 32);
  const id = createHmac('sha256', bytes).update('key id').digest('hex').slice(0, ID_CHARACTERS);
  return { id, bytes };
}

/** No base64 text contains the dot. */
function prefixOf({ id }: Key): string {
  return `${id}.`;
}

function boundTo({ table, column, row }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, column, row]));
}

interface RenewedEncryption {
  /** Values that the newest secret encrypts now. */
  renewed: number;
  /** Values that no configured secret decrypts. */
  unreadable: number;
}

/** The columns with encrypted values, each with the primary key of its table. */
const ENCRYPTED = [
  { table: 'regulator_session', column: 'encrypted_token', key: 'id' },
  { table: 'webhook', column: 'encrypted_secret', key: 'tenant' },
  { table: 'webhook', column: 'encrypted_previous_secret', key: 'tenant' },
];

/**
 * Encrypts every value with the newest secret that an older one has encrypted, so that the older one can be removed
 * (decision §encrypted-values). A value that changes meanwhile is left as it is.
 */
export async function renewEncryption(orm: Orm, cipher: Cipher): Promise<RenewedEncryption> {
  const db = statements(orm.em.fork());
  const counts = { renewed: 0, unreadable: 0 };
  for (const { table, column, key } of ENCRYPTED) {
    const [from, value, id] = [sql.table(table), sql.id(column), sql.id(key)];
    const old = await db.rows<{ row: string; encrypted: string }>`
      select ${id}::text as row, ${value} as encrypted from ${from}
       where not starts_with(${value}, ${cipher.newestPrefix})
    `;
    for (const { row, encrypted } of old) {
      const place = { table, column, row };
      const plain = decrypted(cipher, encrypted, place);
      if (plain === null) counts.unreadable += 1;
      else
        counts.renewed += await db.run`
          update ${from} set ${value} = ${cipher.encrypt(plain, place)}
           where ${id} = ${row} and ${value} = ${encrypted}
        `;
    }
  }
  return counts;
}

/** Null for a value that no configured secret decrypts. */
export function decrypted(cipher: Cipher, encrypted: string, place: Place): string | null {
  try {
    return cipher.decrypt(encrypted, place);
  } catch {
    return null;
  }
}

/**
 * @param what is encrypted, as the subject of the message
 * @param remedy without the secret
 * @throws when no configured secret decrypts it
 */
export function requireDecrypted(
  cipher: Cipher,
  encrypted: string,
  place: Place,
  { what, remedy }: { what: string; remedy: string },
): string {
  const plain = decrypted(cipher, encrypted, place);
  if (plain !== null) return plain;
  throw new Error(
    `${what} cannot be decrypted: ENCRYPTION_SECRET lacks the secret that encrypted it. Set the same secrets for all processes, or ${remedy}.`,
  );
}
