/** Encrypts stored values again with the newest secret, so that an older one can be removed (decision §encrypted-values). */
import type { Cipher, Place } from './encryption.ts';

export interface RenewedEncryption {
  /** Values that the newest secret encrypts now. */
  renewed: number;
  /** Values that no configured secret decrypts. */
  unreadable: number;
}

/** A value that an older secret encrypted. */
export interface OldValue {
  encrypted: string;
  place: Place;
  /** Replaces the value, unless it has changed meanwhile. Returns whether it did. */
  replace(encrypted: string, plain: string): Promise<boolean>;
}

export async function renewValues(cipher: Cipher, values: readonly OldValue[]): Promise<RenewedEncryption> {
  const counts = { renewed: 0, unreadable: 0 };
  for (const { encrypted, place, replace } of values) {
    const plain = decrypted(cipher, encrypted, place);
    if (plain === null) counts.unreadable += 1;
    else if (await replace(cipher.encrypt(plain, place), plain)) counts.renewed += 1;
  }
  return counts;
}

export function addRenewed(one: RenewedEncryption, other: RenewedEncryption): RenewedEncryption {
  return { renewed: one.renewed + other.renewed, unreadable: one.unreadable + other.unreadable };
}

function decrypted(cipher: Cipher, encrypted: string, place: Place): string | null {
  try {
    return cipher.decrypt(encrypted, place);
  } catch {
    return null;
  }
}
