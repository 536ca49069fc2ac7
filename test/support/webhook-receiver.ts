/** A receiver of webhooks, on this machine: keeps what it gets, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  /** As it was sent. */
  body: string;
}

export interface HeldMessages {
  readonly count: number;
  release(): void;
}

export interface WebhookReceiver {
  /** As WEBHOOK_HOSTS has it. */
  host: string;
  url: string;
  messages: ReceivedMessage[];
  /** What it answers with. */
  status: number;
  /** Instead of the status. */
  respond: ((response: ServerResponse) => void) | null;
  /** Leaves messages without an answer, until they are let go with status 200. */
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
    ...{ host, url: `http://${host}/hooks`, messages: [], status: 200, respond: null },
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
