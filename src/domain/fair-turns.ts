/**
 * Fairness keys for shared workers (decision §fair-turns). Temporal gives turns between keys, however many tasks
 * wait under each key.
 */

/** Temporal allows 64 bytes, and the size suffix has to fit as well. */
const CLIENT_LENGTH = 48;

/** Temporal's start option for a workflow and everything that it starts. */
export interface Turn {
  priority: { fairnessKey: string };
}

/**
 * The fairness key of a client's imports and checks, which share one queue.
 *
 * @param clientId any text, as tokens have it. Two long ids with the same end share their turns and nothing else
 */
export function turnOfClient(clientId: string): Turn {
  const readable = clientId.replace(/[^\w.@-]/g, '_').slice(-CLIENT_LENGTH);
  return { priority: { fairnessKey: `client-${readable}` } };
}

/**
 * The fairness key of a client's inserts, one per order of magnitude of the import. A small import does not wait for a
 * large one of the same client. More imports do not give a client more turns than there are sizes.
 *
 * @param client the client's fairness key; a run that was started without one has none, and neither have its inserts
 * @param products of the import, or 1 for a single insert
 */
export function turnOfInserts(client: string | undefined, products: number): Turn | undefined {
  if (!client) return undefined;
  const size = 10 ** (String(products).length - 1);
  return { priority: { fairnessKey: `${client}/${size}` } };
}
