/**
 * An import of which nobody knows yet what became of it, kept for a reload of the page: its key, which is no secret, and by
 * what its file is known again. The file itself a page may not keep, and tokens are never in the storage.
 */
import { login } from '../../auth/login.ts';

export interface UnsettledImport {
  key: string;
  comment: string;
  email: string;
}

interface Kept extends UnsettledImport {
  name: string;
  size: number;
  lastModified: number;
  person: string | null;
  /** When it was sent first; milliseconds since 1970. */
  at: number;
}

const ENTRY = 'unsettled-import';
/** The service knows a key for a day (docs/interface.md); an hour of it is left for sending. */
const KEPT_MS = 23 * 3_600_000;

/** Until `settle`, or another import takes its place. */
export function keep({ name, size, lastModified }: File, unsettled: UnsettledImport): void {
  const kept: Kept = { ...unsettled, name, size, lastModified, person: person(), at: Date.now() };
  sessionStorage.setItem(ENTRY, JSON.stringify(kept));
}

/** What became of it is known, or nobody wants to know. */
export function settle(): void {
  sessionStorage.removeItem(ENTRY);
}

/** The import of this file by this person, if it is unsettled; null where there is none. */
export function unsettledOf({ name, size, lastModified }: File): UnsettledImport | null {
  const text = sessionStorage.getItem(ENTRY);
  if (text === null) return null;
  const kept = JSON.parse(text) as Kept;
  const isSame =
    kept.name === name &&
    kept.size === size &&
    kept.lastModified === lastModified &&
    kept.person === person();
  if (!isSame || Date.now() - kept.at > KEPT_MS) return null;
  return { key: kept.key, comment: kept.comment, email: kept.email };
}

function person(): string | null {
  const { value } = login;
  return value.state === 'in' || value.state === 'ended' ? value.person.name : null;
}
