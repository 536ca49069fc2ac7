/** One mail to several recipients: all of them, and what becomes of one that the mail server refuses. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, it, onTestFinished } from 'vitest';
import { addressesIn } from '../../../src/contract/recipients.ts';
import { MailRefused, mailFailureText } from '../../../src/domain/errors.ts';
import { createMailer } from '../../../src/notifications/mail/mailer.ts';

async function send(to: string[], refused: string[], answer = 'no such mailbox') {
  const taken: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      refused.includes(address) ? done(Object.assign(new Error(answer), { responseCode: 550 })) : done(),
    onData(stream, { envelope }, done) {
      taken.push(...envelope.rcptTo.map(({ address }) => address));
      stream.resume().on('end', () => done());
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailer = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'from@company.example' });
  onTestFinished(async () => {
    mailer.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { taken, result: await mailer.send({ to, subject: 's', text: 't' }) };
}

const [A, B, C] = ['a@company.example', 'b@company.example', 'c@company.example'] as const;

it('goes to all of them', async () => {
  expect(await send([A, B, C], [])).toEqual({ taken: [A, B, C], result: { refused: [] } });
});

it('goes to the others where one is refused, and says whom it was refused for', async () => {
  const { taken, result } = await send([A, B, C], [B]);
  expect(taken).toEqual([A, C]);
  expect(result.refused).toEqual([expect.stringMatching(/^b@company.example: 550 no such mailbox/)]);
});

it('fails where all are refused, with a message for histories that names none of them', async () => {
  const failure = await send([A, B], [A, B]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MailRefused);
  expect((failure as MailRefused).message).toBe('The mail server refused the mail (550 after RCPT TO)');
  expect(mailFailureText(failure)).toMatch(/^The mail server refused the mail \(550 .*\): .*no such mailbox/);
});

it('names no recipient in histories where the answer of the server does', async () => {
  const failure = await send([A], [A], `no mailbox of ${A}`).catch((error: unknown) => error);
  expect((failure as MailRefused).message).not.toContain('@');
  expect(mailFailureText(failure)).toContain(A);
});

it('reads a list as people write it, each address once', () => {
  expect(addressesIn(` ${A},${B} , ,${A},`)).toEqual([A, B]);
});
