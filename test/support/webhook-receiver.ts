/** A webhook receiver on this machine. It stores messages and answers as configured. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { WebhookPayload } from '../../src/contract/types.ts';
import { listenLocally } from './local-server.ts';

export interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  /** Body as received. */
  body: string;
}

/** The content of a message. @throws Error if its signature is not by the secret, or it is too old */
export function verified({ body, headers }: ReceivedMessage, secret: string): WebhookPayload {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookPayload;
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
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    receiver.messages.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (receiver.respond) receiver.respond(response);
    else response.writeHead(receiver.status).end('thank you');
  });
  const host = `127.0.0.1:${await listenLocally(server)}`;
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
  };
  return receiver;
}
