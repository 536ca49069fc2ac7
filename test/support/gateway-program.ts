/**
 * The gateway alone as a separate process, for tests of the process, and for manual use with curl: `node
 * test/support/gateway-program.ts '{"limits": {"maxUploadBytes": 2147483648}}'` prints its address and a token.
 */
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { endAll } from './cleanup.ts';
import { largeAnswers } from './large-answers.ts';
import { type ProgramOptions, type Served, startGateway, type Usage } from './starters/gateway.ts';

const {
  otherClients = 0,
  largeAnswers: isLarge = false,
  ...options
} = JSON.parse(process.argv[2] ?? '{}') as ProgramOptions;
const change = (dependencies: GatewayDependencies) => ({
  ...largeAnswers(dependencies),
  readBudgets: createReadBudgets({ atOnce: 1, longestWaitMs: 3_000 }),
});
const gateway = await startGateway({ ...options, ...(isLarge && { change }) });
const others = await Promise.all(
  Array.from({ length: otherClients }, (_, index) => gateway.tokens.sign({ client_id: `client-${index}` })),
);
const { url, port, token } = gateway;
const served: Served = { url, port, token, others };
if (process.send) process.send(served);
else process.stdout.write(`${JSON.stringify(served)}\n`);

process.on('message', () =>
  gateway.server.server.getConnections((_error, connections) => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const requests = gateway.log.filter(({ msg }) => msg === 'request').length;
    const usage: Usage = { rss, held: heapUsed + external, connections, requests };
    process.send?.(usage);
  }),
);
const stop = () => void endAll().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);
