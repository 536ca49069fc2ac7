import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import { MailRefused } from '../../../src/domain/errors.ts';
import { createMailer } from '../../../src/notifications/mail/mailer.ts';
import { atEnd } from '../../support/cleanup.ts';
import { listenLocally } from '../../support/local-server.ts';

const MAIL = {
  to: ['to@company.example'],
  subject: 'x',
  text: 'x',
  html: '<p>x</p>',
  messageId: '<1@company.example>',
};

/** A server that offers to log in and no TLS, as one whose offer somebody on the way has taken out. */
async function serverWithoutTls() {
  const logins: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username = '' }, _session, accept) {
      logins.push(username);
      accept(null, { user: username });
    },
    onData(stream, _session, accept) {
      stream.resume().on('end', () => accept());
    },
  });
  return { url: `smtp://user:password@127.0.0.1:${await listenLocally(server.server)}`, logins };
}

it.each([
  { requireTls: true, sent: false },
  { requireTls: false, sent: true },
])(
  'credentials are sent to a server without TLS: $sent, with TLS required: $requireTls',
  async ({ requireTls, sent }) => {
    const { url, logins } = await serverWithoutTls();
    const mailer = createMailer({ url, from: 'from@company.example', requireTls });
    atEnd(() => mailer.close());
    const sending = mailer.send(MAIL);
    if (sent) await sending;
    else await expect(sending).rejects.toBeInstanceOf(MailRefused);
    expect(logins).toEqual(sent ? ['user'] : []);
  },
);
