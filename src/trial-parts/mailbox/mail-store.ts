/** The mails of the embedded mailbox, stored as files so that they survive a restart. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

const NAME = /^(\d+)-(\d+)\.eml$/;

/** A mail's file, and the facts in its name. */
interface Entry {
  name: string;
  id: number;
  receivedAt: string;
}

export async function openMailStore(directory: string) {
  await mkdir(directory, { recursive: true });
  const parsed = new Map<number, ReceivedMail>();
  const entries = async (): Promise<Entry[]> =>
    (await readdir(directory))
      .flatMap((name) => {
        const [, id, time] = NAME.exec(name) ?? [];
        return id ? [{ name, id: Number(id), receivedAt: new Date(Number(time)).toISOString() }] : [];
      })
      .sort((a, b) => b.id - a.id);
  const entryOf = async (id: number) => (await entries()).find((entry) => entry.id === id);
  const rawOf = ({ name }: Entry) => readFile(join(directory, name));
  let lastId = (await entries())[0]?.id ?? 0;

  async function load(entry: Entry): Promise<ReceivedMail> {
    const mail = parsed.get(entry.id) ?? (await parse(entry, await rawOf(entry)));
    parsed.set(entry.id, mail);
    return mail;
  }

  return {
    async add(raw: Buffer): Promise<ReceivedMail> {
      lastId += 1;
      const now = Date.now();
      const name = `${String(lastId).padStart(6, '0')}-${now}.eml`;
      const entry = { name, id: lastId, receivedAt: new Date(now).toISOString() };
      await writeFile(join(directory, name), raw);
      return load(entry);
    },
    /** Newest first. */
    list: async () => Promise.all((await entries()).map(load)),
    async find(id: number): Promise<ReceivedMail | null> {
      const entry = await entryOf(id);
      return entry ? load(entry) : null;
    },
    async raw(id: number): Promise<Buffer | null> {
      const entry = await entryOf(id);
      return entry ? rawOf(entry) : null;
    },
  };
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
