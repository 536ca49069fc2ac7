/** A webhook receiver on this machine. It stores messages and answers as configured. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  /** Body as received. */
  body: string;
}

export interface HeldMessages {
  readonly count: number;
  release(): void;
}

export interface WebhookReceiver {
  /** Host in the form of WEBHOOK_HOSTS. */
  host: string;
  url: string;
  messages: ReceivedMessage[];
  /** Status of its answers. */
  status: number;
  /** Replaces the answer with the status. */
  respond: ((response: ServerResponse) => void) | null;
  /** Leaves messages unanswered until they are released with status 200. */
  hold(): HeldMessages;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    receiver.messages.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (receiver.respond) receiver.respond(response);
    else response.writeHead(receiver.status).end('thank you');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: WebhookReceiver = {
    host,
    url: `http://${host}/hooks`,
    messages: [],
    status: 200,
    respond: null,
    hold() {
      const waiting: ServerResponse[] = [];
      receiver.respond = (response) => waiting.push(response);
      return {
        get count() {
          return waiting.length;
        },
        release() {
          receiver.respond = null;
          for (const response of waiting) response.end();
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
