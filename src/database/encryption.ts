/**
 * Encryption at rest of the regulator session's token and of webhook secrets: AES-256-GCM with a key from the
 * configuration.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';

export interface Cipher {
  encrypt(plain: string): string;
  /** @throws when the text was not encrypted with this key, or was tampered with. */
  decrypt(encrypted: string): string;
  /** A digest that tells two secrets apart without revealing them. */
  digest(plain: string): string;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret any text with enough entropy; a 256-bit key is derived from it (scrypt, RFC 7914). */
export function createCipher(secret: string): Cipher {
  const key = scryptSync(secret, 'package-import/regulator-session', 32);
  return {
    encrypt(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
    digest: (plain) => createHash('sha256').update(key).update(plain).digest('hex'),
  };
}
