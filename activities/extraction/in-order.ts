/** Limits of the concurrent work. A single item above `weight` runs alone. */
export interface Ahead {
  items: number;
  weight: number;
}

/** Works on a few items at a time and yields the results in the order of the items. */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  work: (item: T) => Promise<R>,
  weightOf: (item: T) => number,
  ahead: Ahead,
): AsyncGenerator<R> {
  const underWay: { result: Promise<R>; weight: number }[] = [];
  let weight = 0;
  const next = async (): Promise<R> => {
    const [first] = underWay;
    if (!first) throw new Error('No task is running');
    const result = await first.result;
    underWay.shift();
    weight -= first.weight;
    return result;
  };
  for (const item of items) {
    const itemWeight = weightOf(item);
    while (underWay.length > 0 && (underWay.length >= ahead.items || weight + itemWeight > ahead.weight))
      yield await next();
    const result = work(item);
    result.catch(() => {}); // Reported when it is awaited.
    underWay.push({ result, weight: itemWeight });
    weight += itemWeight;
  }
  while (underWay.length > 0) yield await next();
}

/** Fetches the next item while the caller works with the previous one. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
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
