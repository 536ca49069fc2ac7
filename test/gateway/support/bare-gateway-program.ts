/**
 * The gateway alone as a process of its own, for tests of the process, and for manual use with curl: `node
 * test/gateway/support/bare-gateway-program.ts '{"maxUploadBytes": 2147483648}'` prints its address and a
 * token.
 */
import { type BareGatewayOptions, startBareGateway } from './bare-gateway.ts';

/** Message to the parent process when the gateway listens. */
export interface Served {
  url: string;
  port: number;
  token: string;
  withoutPermission: string;
  /** Tokens of as many other clients as `otherClients` asks for. */
  others: string[];
  directory: string;
}

export interface ProgramOptions extends BareGatewayOptions {
  otherClients?: number;
}

/** Answer to each request of the parent process. */
export interface Usage {
  /** Bytes. */
  rss: number;
  connections: number;
}

const { otherClients = 0, ...options } = JSON.parse(process.argv[2] ?? '{}') as ProgramOptions;
const gateway = await startBareGateway(options);
const withoutPermission = await gateway.tokens.sign({ permissions: [] });
const others = await Promise.all(
  Array.from({ length: otherClients }, (_, index) => gateway.tokens.sign({ client_id: `client-${index}` })),
);
const { url, port, token, directory } = gateway;
const served: Served = { url, port, token, withoutPermission, others, directory };
if (process.send) process.send(served);
else process.stdout.write(`${JSON.stringify(served)}\n`);

process.on('message', () =>
  gateway.server.server.getConnections((_error, connections) => {
    const usage: Usage = { rss: process.memoryUsage.rss(), connections };
    process.send?.(usage);
  }),
);
const stop = () => void gateway.stop().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);
