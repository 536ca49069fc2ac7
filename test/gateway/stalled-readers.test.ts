/**
 * Readers that do not take their answers cost little memory, and keep nobody else from an answer (decision
 * §reading-has-a-budget).
 */
import { expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { PATHS_OF_LARGE_ANSWERS } from '../support/large-answers.ts';
import { head } from '../support/multipart.ts';
import { startGatewayProcess } from '../support/starters/gateway.ts';

const MB = 1024 * 1024;
const READERS = 60;
const BOUND_MB = 60;
/** Longest time for the answer to another client. */
const ANSWER_MS = 10_000;

const gateway = await startGatewayProcess({ largeAnswers: true, otherClients: 1 });

const kinds = [
  ...Object.entries(PATHS_OF_LARGE_ANSWERS).map(([kind, path]) => ({ kind, path, requests: 1 })),
  ...['/api/doc/swagger-ui-bundle.js', '/api/doc.json'].map((path) => ({
    kind: `${path}, as often as a connection may ask`,
    path,
    requests: 65,
  })),
];

/** Asks as another client, for something small of the database. */
async function askAsAnother(): Promise<number> {
  const headers = { authorization: `Bearer ${gateway.others[0]}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const url = `${gateway.url}/regulator/package-imports/1?view=summary`;
  const answer = await fetch(url, { headers, signal });
  await answer.arrayBuffer();
  return answer.status;
}

/** Takes the first megabyte of an answer, so that its code is loaded. */
async function take(path: string): Promise<number> {
  const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${gateway.token}` } });
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > MB) break;
  }
  return answer.status;
}

/** Opens connections that send requests and read nothing. */
function openStalled(text: string) {
  const open = async () => {
    const connection = await Connection.open(gateway.port);
    connection.socket.pause();
    await connection.send(text);
    return connection;
  };
  return Promise.all(Array.from({ length: READERS }, open));
}

it.each(kinds)('$kind', { timeout: 180_000 }, async ({ kind, path, requests }) => {
  expect(await take(path)).toBe(200);
  const before = await gateway.usage();
  const request = head({ Authorization: `Bearer ${gateway.token}` }, { method: 'GET', path }).repeat(
    requests,
  );
  const readers = await openStalled(request);
  expect(await askAsAnother()).toBe(200);
  // All have an answer, or were refused.
  await eventually(async () => (await gateway.usage()).requests >= before.requests + READERS + 1);
  expect(await askAsAnother()).toBe(200);
  const after = await gateway.usage();
  const growthMb = (after.rss - before.rss) / MB;
  const heldMb = (after.held - before.held) / MB;
  process.stdout.write(
    `${READERS} stalled readers of ${kind}: ${Math.round(growthMb)} MB, ${Math.round(heldMb)} MB of them held\n`,
  );
  for (const reader of readers) reader.destroy();
  expect(growthMb).toBeLessThan(BOUND_MB);
  expect(heldMb).toBeLessThan(BOUND_MB);
});
