/**
 * Whose turn it is when many wait for the same workers (decision §fair-turns): keys between which Temporal
 * gives turns, however many tasks wait under each of them.
 */

/** Temporal allows 64 bytes; what a size adds has to fit as well. */
const CLIENT_LENGTH = 48;

/** As a start option of Temporal has it, for a workflow and whatever it starts. */
export interface Turn {
  priority: { fairnessKey: string };
}

/**
 * The turns of a client: its imports and checks take them one after the other.
 *
 * @param clientId any text, as tokens have it. Two long ones that end alike share their turns, and nothing else
 */
export function turnOfClient(clientId: string): Turn {
  const readable = clientId.replace(/[^\w.@-]/g, '_').slice(-CLIENT_LENGTH);
  return { priority: { fairnessKey: `client-${readable}` } };
}

/**
 * The turns of a client's inserts, apart by the size of their import: a small import does not wait for a large one
 * of the same client, and however many imports a client has, it has no more turns than there are sizes.
 *
 * @param client the client's fairness key; a run that was started without one has no turn, and neither have its inserts
 * @param products of the import, or 1 for a single insert
 */
export function turnOfInserts(client: string | undefined, products: number): Turn | undefined {
  if (!client) return undefined;
  const size = 10 ** (String(products).length - 1);
  return { priority: { fairnessKey: `${client}/${size}` } };
}
