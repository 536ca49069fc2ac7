/** A proxy in front of an S3 server that counts requests and injects faults into single ones. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listenLocally } from './local-server.ts';

export type Fault = 'drop the connection' | 'never answer' | { status: number; body: string };

export interface S3Proxy {
  endpoint: string;
  /** Requests since `forget`, as `GET bytes=0-99` or `PUT part 2` or just their method. */
  seen: string[];
  /** Chooses the fault of a request; undefined forwards it. */
  fault: (seen: string) => Fault | undefined;
  /** Forwards the requests that were left without an answer. */
  release(): void;
  reset(): void;
}

export async function startS3Proxy(target: string): Promise<S3Proxy> {
  const held: (() => void)[] = [];
  const server = createServer((incoming, answer) => {
    const seen = describe(incoming);
    proxy.seen.push(seen);
    const fault = proxy.fault(seen);
    if (fault === undefined) forward(target, incoming, answer);
    else if (fault === 'drop the connection') incoming.socket.destroy();
    else if (fault === 'never answer') held.push(() => forward(target, incoming, answer));
    else {
      incoming.resume();
      answer.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body);
    }
  });
  const proxy: S3Proxy = {
    endpoint: '',
    seen: [],
    fault: () => undefined,
    release() {
      this.fault = () => undefined;
      for (const go of held.splice(0)) go();
    },
    reset() {
      this.release();
      this.seen.length = 0;
    },
  };
  proxy.endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
  return proxy;
}

function describe({ method, url = '', headers }: IncomingMessage): string {
  const part = /partNumber=(\d+)/.exec(url)?.[1];
  if (part !== undefined) return `${method} part ${part}`;
  return headers.range === undefined ? `${method}` : `${method} ${headers.range}`;
}

/** Forwards the headers unchanged, so that the signature stays valid. */
function forward(target: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = incoming;
  const onward = request(new URL(url ?? '/', target), { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  onward.once('error', () => answer.destroy());
  answer.once('close', () => onward.destroy());
  incoming.pipe(onward);
}
