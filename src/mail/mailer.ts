/** Sending mail over SMTP. */
import { createTransport } from 'nodemailer';
import { MailRefused, MailUnavailable, messageOf } from '../domain/errors.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
  /** Fixed by the caller where a second delivery must be recognised as the same mail. */
  messageId?: string;
}

export interface Mailer {
  /**
   * @throws MailRefused when the server refuses for good (5xx), MailUnavailable when trying again may help
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 30_000;

/**
 * @param url `smtp://user:password@host:port` or `smtps://…`
 * @param requireTls whether `smtp:` gives up on a server that does not offer TLS, before credentials are sent
 */
export function createMailer({
  url,
  from,
  requireTls = false,
}: {
  url: string;
  from: string;
  requireTls?: boolean;
}): Mailer {
  const transport = createTransport({
    url,
    requireTLS: requireTls,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, ...mail }) {
      try {
        await transport.sendMail({ ...mail, from, to: { name: '', address: to } });
      } catch (error) {
        const { responseCode } = error as { responseCode?: number };
        const permanent = responseCode !== undefined && responseCode >= 500;
        const reason = `The mail server ${permanent ? 'refused the mail' : 'could not take the mail'}: ${messageOf(error)}`;
        throw permanent ? new MailRefused(reason) : new MailUnavailable(reason);
      }
    },
    close: () => transport.close(),
  };
}
