/** Sends mail over SMTP. */
import { createTransport } from 'nodemailer';
import { messageOf } from '../../common/text.ts';
import { MailRefused, MailUnavailable } from '../../domain/errors.ts';

export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
  html?: string;
  /** Fixed by the caller if a second delivery must be recognised as the same mail. */
  messageId?: string;
  attachments?: readonly MailAttachment[];
}

export type MailContent = Required<Pick<Mail, 'subject' | 'text' | 'html'>>;

export interface MailAttachment {
  fileName: string;
  contentType: string;
  content: string;
}

export type Mailer = ReturnType<typeof createMailer>;

const CONNECTION_TIMEOUT_MS = 30_000;
/** RFC 5321 §4.5.3.2.1. */
const GREETING_TIMEOUT_MS = 5 * 60_000;
/**
 * Time without a byte. A server may take ten minutes for its final answer (RFC 5321 §4.5.3.2.6). A client that gives up
 * earlier sends the mail again, and a slow server delivers both.
 */
const SILENCE_TIMEOUT_MS = 10.5 * 60_000;

interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…` */
  url: string;
  from: string;
  /** Whether `smtp:` fails on a server that does not offer TLS, before credentials are sent. */
  requireTls?: boolean;
  /** Milliseconds without a byte after which an attempt fails. */
  silenceMs?: number;
}

export function createMailer({
  url,
  from,
  requireTls = false,
  silenceMs = SILENCE_TIMEOUT_MS,
}: MailerOptions) {
  const transport = createTransport({
    url,
    requireTLS: requireTls,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    /**
     * Returns the refused recipients with the reasons, if the server accepted the mail for others.
     *
     * @throws MailRefused when the server refuses the mail itself permanently (5xx), MailUnavailable when a retry may help
     */
    async send({ to, attachments = [], ...mail }: Mail): Promise<{ refused: string[] }> {
      try {
        const files = attachments.map(({ fileName, ...file }) => ({ ...file, filename: fileName }));
        const addresses = to.map((address) => ({ name: '', address }));
        const { rejectedErrors = [] } = await transport.sendMail({
          ...mail,
          attachments: files,
          from,
          to: addresses,
          // RFC 3834 §5: no autoresponder answers such a mail.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return {
          refused: rejectedErrors.map((error) => `${error.recipient}: ${error.response ?? messageOf(error)}`),
        };
      } catch (error) {
        throw mailFailure(error as SMTPError);
      }
    },
    close: () => transport.close(),
  };
}

/** Error of nodemailer: it has the SMTP status and command if the server has answered. */
type SMTPError = Error & { responseCode?: number; code?: string; command?: string };

/** Codes of nodemailer for answers to `MAIL FROM`, `RCPT TO` and `DATA`. */
const OF_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];
/** RFC 3207 §4 and RFC 4954 §6. */
const LOGIN_OR_TLS_FIRST = 530;

function mailFailure(error: SMTPError): MailRefused | MailUnavailable {
  const { responseCode, code = 'no code', command } = error;
  const status = `${responseCode ?? code}${command === undefined ? '' : ` after ${command}`}`;
  const serverText = messageOf(error);
  // A refused connection, login or TLS says nothing about the mail: a retry helps after `SMTP_URL` or the server was
  // corrected.
  const isAboutTheMail = OF_THE_MAIL.includes(code) && responseCode !== LOGIN_OR_TLS_FIRST;
  return responseCode !== undefined && responseCode >= 500 && isAboutTheMail
    ? new MailRefused(`The mail server refused the mail (${status})`, serverText)
    : new MailUnavailable(`The mail server could not accept the mail (${status})`, serverText);
}
