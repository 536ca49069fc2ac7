/** A fake gateway with its identity service. Tests set the answers and read the requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './local-server.ts';

/** Answers one request to the gateway. `readBody` also sends "100 Continue" to a waiting client. */
export type Handler = (
  exchange: { request: IncomingMessage; response: ServerResponse; readBody: () => Promise<Buffer> },
  number: number,
) => unknown;

export interface FakeService {
  url: string;
  /** Requests to the gateway, in order. */
  requests: { method: string; path: string; headers: IncomingMessage['headers'] }[];
  /** Issued access tokens: token-1, token-2, … */
  tokens: string[];
  /** Requests to the identity service. */
  tokenRequests: { headers: IncomingMessage['headers']; body: string }[];
  /** Set to true, it refuses every client. */
  refuseTokens: boolean;
  client: { gatewayUrl: string; tokenUrl: string; clientId: string; clientSecret: string };
  /** Options that connect a command to it, as the demo client. */
  options: string[];
}

/** @param handler gets the requests to the gateway, the first as number 1 */
export async function startFakeService(handler: Handler, tokenSeconds = 900): Promise<FakeService> {
  const requests: FakeService['requests'] = [];
  const tokens: string[] = [];
  const tokenRequests: FakeService['tokenRequests'] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    if (path === '/oauth2/token') {
      tokenRequests.push({ headers, body: (await buffer(request)).toString() });
      const json = { 'content-type': 'application/json' };
      if (service.refuseTokens) {
        response.writeHead(401, json).end('{"error":"invalid_client"}');
        return;
      }
      tokens.push(`token-${tokens.length + 1}`);
      const token = { access_token: tokens.at(-1), token_type: 'Bearer', expires_in: tokenSeconds };
      response.writeHead(200, json).end(JSON.stringify(token));
      return;
    }
    const number = requests.push({ method, path, headers });
    const readBody = () => {
      if (headers.expect !== undefined) response.writeContinue();
      return buffer(request);
    };
    await handler({ request, response, readBody }, number);
  };
  const server = createServer(serve).on('checkContinue', serve);
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const client = {
    gatewayUrl: url,
    tokenUrl: `${url}/oauth2/token`,
    clientId: 'client',
    clientSecret: 'secret',
  };
  const options = ['--gateway', url, '--token-url', client.tokenUrl];
  const service: FakeService = { url, requests, tokens, tokenRequests, refuseTokens: false, client, options };
  return service;
}

/** The envelope of the interface. */
export function answer(
  response: ServerResponse,
  status: number,
  message: string,
  { data, headers = {} }: { data?: unknown; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ status: status < 400 ? 'success' : 'error', message, data }));
}
