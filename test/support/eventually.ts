/**
 * Asks again until there is something, for at most `timeoutMs`. A condition, not a sleep: patience costs nothing
 * but when there is a fault, and machines that others use as well are slow at times.
 */
export async function eventually<T>(
  ask: () => Promise<T | null | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > giveUpAt) throw new Error(`waited ${timeoutMs} ms in vain for ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
