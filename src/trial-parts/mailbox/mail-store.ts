/** The mails of the embedded mailbox, stored as files so that they survive a restart. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

export interface MailStore {
  add(raw: Buffer): Promise<ReceivedMail>;
  /** Newest first. */
  list(): Promise<ReceivedMail[]>;
  find(id: number): Promise<ReceivedMail | null>;
  raw(id: number): Promise<Buffer | null>;
  clear(): Promise<void>;
}

const NAME = /^(\d+)-(\d+)\.eml$/;

export async function openMailStore(directory: string): Promise<MailStore> {
  await mkdir(directory, { recursive: true });
  const names = async () =>
    (await readdir(directory))
      .flatMap((name) => {
        const match = NAME.exec(name);
        return match
          ? [{ name, id: Number(match[1]), receivedAt: new Date(Number(match[2])).toISOString() }]
          : [];
      })
      .sort((a, b) => b.id - a.id);
  let lastId = (await names())[0]?.id ?? 0;
  const parsed = new Map<number, ReceivedMail>();

  async function load({
    name,
    id,
    receivedAt,
  }: {
    name: string;
    id: number;
    receivedAt: string;
  }): Promise<ReceivedMail> {
    const known = parsed.get(id);
    if (known) return known;
    const mail = await parse(id, receivedAt, await readFile(join(directory, name)));
    parsed.set(id, mail);
    return mail;
  }
  const entryOf = async (id: number) => (await names()).find((entry) => entry.id === id) ?? null;

  return {
    async add(raw) {
      lastId += 1;
      const id = lastId;
      const now = Date.now();
      await writeFile(join(directory, `${String(id).padStart(6, '0')}-${now}.eml`), raw);
      const mail = await parse(id, new Date(now).toISOString(), raw);
      parsed.set(id, mail);
      return mail;
    },
    list: async () => Promise.all((await names()).map(load)),
    async find(id) {
      const entry = await entryOf(id);
      return entry ? load(entry) : null;
    },
    async raw(id) {
      const entry = await entryOf(id);
      return entry ? readFile(join(directory, entry.name)) : null;
    },
    async clear() {
      await Promise.all((await names()).map(({ name }) => rm(join(directory, name), { force: true })));
      parsed.clear();
    },
  };
}

async function parse(id: number, receivedAt: string, raw: Buffer): Promise<ReceivedMail> {
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
