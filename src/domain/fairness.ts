/**
 * Fairness keys for shared workers (decision §fairness-keys). Temporal dispatches the keys in rotation, however
 * many tasks wait under each.
 */

/** Temporal allows 64 bytes, and the size suffix has to fit as well. */
const CLIENT_LENGTH = 48;

/** Temporal's start option for a workflow and everything that it starts. */
export interface Fairness {
  priority: { fairnessKey: string };
}

/**
 * The fairness key of a client's imports and checks, which share one queue.
 *
 * @param clientId any text, as tokens have it. Two long ids with the same end share a key and nothing else
 */
export function fairnessOfClient(clientId: string): Fairness {
  const readable = clientId.replace(/[^\w.@-]/g, '_').slice(-CLIENT_LENGTH);
  return { priority: { fairnessKey: `client-${readable}` } };
}

/**
 * The fairness key of a client's inserts, one per order of magnitude of the import. A small import does not wait for a
 * large one of the same client. A client has at most as many keys as there are sizes, however many imports it has.
 *
 * @param client the client's fairness key; a run that was started without one has none, and neither have its inserts
 * @param products of the import, or 1 for a single insert
 */
export function fairnessOfInserts(client: string | undefined, products: number): Fairness | undefined {
  if (!client) return undefined;
  const size = 10 ** (String(products).length - 1);
  return { priority: { fairnessKey: `${client}/${size}` } };
}
