/** The embedded mailbox. It accepts every mail over SMTP, delivers none, and shows them on pages. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { listen } from '../../http/server.ts';
import { createMailPages } from './mail-pages.ts';
import { type MailStore, openMailStore, type ReceivedMail } from './mail-store.ts';

export interface Mailbox {
  smtpUrl: string;
  pagesUrl: string;
  store: MailStore;
  /** SMTP reply to give to mails from now on, e.g. 451 or 550; null accepts them again. */
  refuseWith(code: number | null): void;
  /** Waits for a mail that matches. @throws the signal's reason when that aborts */
  waitFor(matches: (mail: ReceivedMail) => boolean, signal: AbortSignal): Promise<ReceivedMail>;
  close(): Promise<void>;
}

const MAX_MAIL_BYTES = 50 * 1024 * 1024;

export async function startMailbox(options: {
  host: string;
  smtpPort: number;
  pagesPort: number;
  directory: string;
}): Promise<Mailbox> {
  const { host, smtpPort, pagesPort, directory } = options;
  const store = await openMailStore(directory);
  const arrivals = new EventTarget();
  let refusal: number | null = null;

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAX_MAIL_BYTES,
    onData(stream, _session, done) {
      const take = async () => {
        const raw = Buffer.concat((await stream.toArray()) as Buffer[]);
        if (refusal !== null) throw Object.assign(new Error('Refused on request'), { responseCode: refusal });
        arrivals.dispatchEvent(new CustomEvent('mail', { detail: await store.add(raw) }));
      };
      take().then(() => done(), done);
    },
  });
  await new Promise<void>((resolve, reject) => {
    smtp.once('error', reject);
    smtp.listen(smtpPort, host, resolve);
  });
  smtp.removeAllListeners('error');
  smtp.on('error', () => {}); // Clients that hang up are no error.
  const pages = await listen(createMailPages(store), { host, port: pagesPort });
  const { port } = smtp.server.address() as AddressInfo;

  return {
    smtpUrl: `smtp://${host}:${port}`,
    pagesUrl: `http://${host}:${pages.port}`,
    store,
    refuseWith(code) {
      refusal = code;
    },
    async waitFor(matches, signal) {
      for (;;) {
        const arrived = once(arrivals, 'mail', { signal });
        arrived.catch(() => {}); // Reported when it is awaited.
        const found = (await store.list()).find(matches);
        if (found) return found;
        await arrived.catch(() => signal.throwIfAborted());
      }
    },
    async close() {
      await Promise.all([new Promise<void>((resolve) => smtp.close(() => resolve())), pages.close(500)]);
    },
  };
}
