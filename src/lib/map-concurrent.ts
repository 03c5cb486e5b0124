// Runs asynchronous work on many items with limited concurrency.

/**
 * Runs `work` on every item, at most `most` at once, and returns the results in order. Rejects with the first failure.
 */
export async function mapConcurrent<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  // Most lists have one item, and the machinery for several costs more than their work.
  if (items.length === 1) return [await work(items[0] as Item)];
  const results: Result[] = new Array<Result>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
