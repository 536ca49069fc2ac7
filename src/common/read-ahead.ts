/** Fetches the next item while the caller works with the previous one. */
export async function* readAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      next.catch(() => {}); // Reported when it is awaited.
      yield value;
    }
  } finally {
    // A caller that stops early may close the source of the items: this waits for the pending read.
    await items.return(undefined);
  }
}
