/**
 * Polls until there is a result, for at most `timeoutMs`. It polls a condition and does not sleep: a long timeout costs
 * time only in case of a fault, and shared machines are sometimes slow.
 */
export async function eventually<T>(
  ask: () => Promise<T | null | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  // Short waits end at once, and long ones leave the processor to what they wait for.
  for (let pauseMs = 20; ; pauseMs = Math.min(1.25 * pauseMs, 150)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Whether the work succeeds. Its error is dropped. */
export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
