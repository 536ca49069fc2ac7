/**
 * The gateway alone as a process of its own, for tests that look at the process, and for curl by hand:
 * `node test/gateway/support/bare-gateway-program.ts '{"maxUploadBytes": 2147483648}'` prints its address and a token.
 */
import { type BareGatewayOptions, startBareGateway } from './bare-gateway.ts';

/** What a parent process is told when the gateway listens. */
export interface Served {
  url: string;
  port: number;
  token: string;
  withoutPermission: string;
  directory: string;
}

/** What a parent process hears whenever it asks. */
export interface Usage {
  /** Bytes. */
  rss: number;
  connections: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as BareGatewayOptions;
const gateway = await startBareGateway(options);
const withoutPermission = await gateway.tokens.sign({ permissions: [] });
const { url, port, token, directory } = gateway;
const served: Served = { url, port, token, withoutPermission, directory };
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
