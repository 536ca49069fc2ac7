/** Repeats a removal of files that nobody needs. A failed removal is repeated like a successful one. */

export interface RemovalOptions {
  everyMs?: number;
  onRemoved(count: number): void;
  onError(error: unknown): void;
}

/**
 * @param remove returns the number of removed files
 * @returns stops the repetition
 */
export function removeRegularly(
  remove: () => Promise<number>,
  { everyMs, onRemoved, onError }: RemovalOptions & { everyMs: number },
): () => void {
  let removing = false;
  const removeOnce = async () => {
    if (removing) return;
    removing = true;
    try {
      const removed = await remove();
      if (removed > 0) onRemoved(removed);
    } catch (error) {
      onError(error);
    } finally {
      removing = false;
    }
  };
  const timer = setInterval(() => void removeOnce(), everyMs).unref();
  return () => clearInterval(timer);
}
