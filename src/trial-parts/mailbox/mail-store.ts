/** The newest mails of the embedded mailbox, stored as files so that they survive a restart. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';

export interface ReceivedMail {
  id: number;
  receivedAt: string;
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  text: string;
  html: string;
}

export type MailStore = Awaited<ReturnType<typeof openMailStore>>;

const MAX_MAILS = 5_000;
const MAX_BYTES = 128 * 1024 * 1024;

const NAME = /^(\d+)-(\d+)\.eml$/;

/** A mail's file, and the facts in its name. */
interface Entry {
  name: string;
  id: number;
  receivedAt: string;
  bytes: number;
}

/** Opens the mails in a directory. A new mail removes the oldest ones beyond the limits. */
export async function openMailStore(directory: string, { maxMails = MAX_MAILS, maxBytes = MAX_BYTES } = {}) {
  await mkdir(directory, { recursive: true });
  const parsed = new Map<number, ReceivedMail>();
  /** Newest first. */
  const entries = await entriesIn(directory);
  /** The mail as it came; null if it is removed meanwhile. */
  const rawOf = ({ name }: Entry) => readFile(join(directory, name)).catch(ifAbsent);
  const entryOf = (id: number) => entries.find((entry) => entry.id === id);
  let lastId = entries[0]?.id ?? 0;

  async function load(entry: Entry): Promise<ReceivedMail | null> {
    const known = parsed.get(entry.id);
    if (known) return known;
    const raw = await rawOf(entry);
    const mail = raw && (await parse(entry, raw));
    if (mail && entries.includes(entry)) parsed.set(entry.id, mail);
    return mail;
  }

  async function removeOldest(): Promise<void> {
    let bytes = 0;
    const old = entries.filter((entry, index) => {
      bytes += entry.bytes;
      return index >= maxMails || bytes > maxBytes;
    });
    entries.length -= old.length;
    for (const { name, id } of old) {
      parsed.delete(id);
      await rm(join(directory, name), { force: true });
    }
  }

  return {
    async add(raw: Buffer): Promise<ReceivedMail> {
      lastId += 1;
      const now = Date.now();
      const name = `${String(lastId).padStart(6, '0')}-${now}.eml`;
      const entry = { name, id: lastId, receivedAt: new Date(now).toISOString(), bytes: raw.length };
      const mail = await parse(entry, raw);
      await writeFile(join(directory, name), raw);
      parsed.set(entry.id, mail);
      // Of two mails at a time the later one may be stored first.
      entries.push(entry);
      entries.sort(newestFirst);
      await removeOldest();
      return mail;
    },
    /** Newest first. */
    async list(): Promise<ReceivedMail[]> {
      const mails = await Promise.all(entries.map(load));
      return mails.filter((mail) => mail !== null);
    },
    async find(id: number): Promise<ReceivedMail | null> {
      const entry = entryOf(id);
      return entry ? load(entry) : null;
    },
    async raw(id: number): Promise<Buffer | null> {
      const entry = entryOf(id);
      return entry ? rawOf(entry) : null;
    },
  };
}

async function entriesIn(directory: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of await readdir(directory)) {
    const [, id, time] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    const { size: bytes } = await stat(join(directory, name));
    entries.push({ name, id: Number(id), receivedAt: new Date(Number(time)).toISOString(), bytes });
  }
  return entries.sort(newestFirst);
}

const newestFirst = (a: Entry, b: Entry): number => b.id - a.id;

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

async function parse({ id, receivedAt }: Entry, raw: Buffer): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);
  return {
    id,
    receivedAt,
    from: mail.from?.address ?? '',
    to: (mail.to ?? []).map(({ address }) => address ?? ''),
    subject: mail.subject ?? '',
    messageId: mail.messageId ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
  };
}
