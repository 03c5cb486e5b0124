// About how much a value holds, counted only as far as it matters.

/** True where a value holds more than `most`: characters of texts, bytes, and one for each number and container. */
export function isLargerThan(value: unknown, most: number): boolean {
  let left = most;
  const open: unknown[] = [value];
  while (open.length > 0 && left >= 0) {
    const each = open.pop();
    if (typeof each === "string" || each instanceof Uint8Array) left -= each.length;
    else if (Array.isArray(each)) {
      // Each item counts for one at least.
      if (each.length >= left) return true;
      left -= 1;
      for (const item of each) open.push(item);
    } else if (typeof each === "object" && each !== null) {
      left -= 1;
      for (const name in each) open.push((each as Readonly<Record<string, unknown>>)[name]);
    } else left -= 1;
  }
  return left < 0;
}
