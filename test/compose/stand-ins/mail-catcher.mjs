// Catches mails and shows the newest, where and as Mailpit does: SMTP on 1025, `/api/v1/message/latest` and `/readyz` on 8025.
// They outlive the container, in the folder of MP_DATABASE. Plain JavaScript: it runs in an image of ours, at the place that it has here.
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { openMailStore } from '../../../src/trial-parts/mailbox/mail-store.ts';

const store = await openMailStore(join(dirname(process.env.MP_DATABASE), 'mails'));

new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    stream
      .toArray()
      .then((chunks) => store.add(Buffer.concat(chunks)))
      .then(() => done(), done);
  },
}).listen(1025);

const pages = {
  '/readyz': async () => ({}),
  '/api/v1/message/latest': async () => {
    const [mail] = await store.list();
    return mail && { Subject: mail.subject, Text: mail.text, To: mail.to.map((Address) => ({ Address })) };
  },
};

createServer(async (request, response) => {
  const body = await pages[request.url]?.();
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? {}));
}).listen(8025);

process.once('SIGTERM', () => process.exit(0));
