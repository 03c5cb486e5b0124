// The approximate size of a value, counted only up to a limit.

/** Whether the content of a value exceeds `most`: characters of texts, bytes, and one for each number and container. */
export function isLargerThan(value: unknown, most: number): boolean {
  let left = most;
  const open: unknown[] = [value];
  while (open.length > 0 && left >= 0) {
    const each = open.pop();
    if (typeof each === "string" || each instanceof Uint8Array) left -= each.length;
    else if (Array.isArray(each)) {
      // Each item counts at least one.
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

/** About how many characters a value has as JSON: escapes are not counted. */
export function jsonChars(value: unknown): number {
  let chars = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === "string") chars += each.length + quotesAndComma;
    else if (Array.isArray(each)) {
      chars += quotesAndComma;
      for (const item of each) open.push(item);
    } else if (typeof each === "object" && each !== null) {
      chars += quotesAndComma;
      for (const name in each) {
        chars += name.length + quotesAndComma;
        open.push((each as Readonly<Record<string, unknown>>)[name]);
      }
    } else if (each !== undefined) chars += scalarChars;
  }
  return chars;
}

/** Or braces and a comma; a number, `true` and `null` are about as long as one another. */
const quotesAndComma = 3;
const scalarChars = 5;
