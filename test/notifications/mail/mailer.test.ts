/** The mail server: credentials, recipients, refusals. */
import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import { addressesIn } from '../../../src/contract/recipients.ts';
import { MailRefused, MailUnavailable, mailFailureText } from '../../../src/domain/errors.ts';
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
    else await expect(sending).rejects.toBeInstanceOf(MailUnavailable);
    expect(logins).toEqual(sent ? ['user'] : []);
  },
);

async function send(to: string[], refused: string[], answer = 'no such mailbox', responseCode = 550) {
  const taken: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      refused.includes(address) ? done(Object.assign(new Error(answer), { responseCode })) : done(),
    onData(stream, { envelope }, done) {
      taken.push(...envelope.rcptTo.map(({ address }) => address));
      stream.resume().on('end', () => done());
    },
  });
  const port = await listenLocally(server.server);
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'from@company.example' });
  atEnd(() => mailer.close());
  return { taken, result: await mailer.send({ to, subject: 's', text: 't' }) };
}

const [A, B, C] = ['a@company.example', 'b@company.example', 'c@company.example'] as const;

it('a mail says that a program sent it, so that no autoresponder answers', async () => {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.setEncoding('utf8').on('data', (text: string) => received.push(text));
      stream.on('end', () => done());
    },
  });
  const port = await listenLocally(server.server);
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'from@company.example' });
  atEnd(() => mailer.close());
  await mailer.send(MAIL);
  const [head = ''] = received.join('').split('\r\n\r\n');
  const names = [...head.matchAll(/^[\w-]+(?=:)/gm)].map(([name]) => name).sort();
  expect(names).toEqual([
    'Auto-Submitted',
    'Content-Type',
    'Date',
    'From',
    'MIME-Version',
    'Message-ID',
    'Subject',
    'To',
  ]);
  expect(head).toContain('Auto-Submitted: auto-generated\r\n');
  expect(head).toContain('Message-ID: <1@company.example>\r\n');
});

it('a mail is sent to all recipients', async () => {
  expect(await send([A, B, C], [])).toEqual({ taken: [A, B, C], result: { refused: [] } });
});

it('a mail is sent to the others when one recipient is refused, whose address is returned', async () => {
  const { taken, result } = await send([A, B, C], [B]);
  expect(taken).toEqual([A, C]);
  expect(result.refused).toEqual([expect.stringMatching(/^b@company.example: 550 no such mailbox/)]);
});

it('a mail fails when all are refused, with a message without addresses', async () => {
  const failure = await send([A, B], [A, B]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MailRefused);
  expect((failure as MailRefused).message).toBe('The mail server refused the mail (550 after RCPT TO)');
  expect(mailFailureText(failure)).toMatch(/^The mail server refused the mail \(550 .*\): .*no such mailbox/);
});

it.each([
  [451, MailUnavailable],
  [499, MailUnavailable],
  [500, MailRefused],
  [530, MailUnavailable],
  [599, MailRefused],
])('may be tried again only after a status below 500, or 530 (%i)', async (status, type) => {
  const failure = await send([A], [A], 'no', status).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(type);
});

it('a mail may be tried again after the server has refused the credentials', async () => {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_login, _session, done) =>
      done(Object.assign(new Error('Wrong password'), { responseCode: 535 })),
  });
  const url = `smtp://user:old-password@127.0.0.1:${await listenLocally(server.server)}`;
  const mailer = createMailer({ url, from: 'from@company.example' });
  atEnd(() => mailer.close());
  const failure = await mailer.send(MAIL).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MailUnavailable);
  expect((failure as MailUnavailable).message).toContain('535 after AUTH');
});

it('a mail may be tried again after the server has refused the connection', async () => {
  const server = new SMTPServer({
    onConnect: (_session, done) => done(Object.assign(new Error('no service here'), { responseCode: 554 })),
  });
  const mailer = createMailer({
    url: `smtp://127.0.0.1:${await listenLocally(server.server)}`,
    from: 'from@company.example',
  });
  atEnd(() => mailer.close());
  const failure = await mailer.send(MAIL).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MailUnavailable);
  expect((failure as MailUnavailable).message).toContain('554 after CONN');
});

it('a message for histories has no recipient, even if the server names one', async () => {
  const failure = await send([A], [A], `no mailbox of ${A}`).catch((error: unknown) => error);
  expect((failure as MailRefused).message).not.toContain('@');
  expect(mailFailureText(failure)).toContain(A);
});

it('a list is read in usual notations, each address once', () => {
  expect(addressesIn(` ${A},${B} , ,${A},`)).toEqual([A, B]);
});
