// Removes long texts, which would be copied, and exact numbers from a value before it is sent to another thread, and
// restores them.
import { exactNumber } from "./exact-json.ts";
import { isExactNumber, type Json } from "./json.ts";

/** A text of at least so many characters is long. */
const longChars = 64 * 1024;

type Container = Json[] | { [name: string]: Json | undefined };

const membersOf = (value: Json | undefined): Container | null =>
  typeof value === "object" && value !== null && !isExactNumber(value) ? (value as Container) : null;

/** Each position of a value that contains another one, in an order that depends only on the value. */
function* places(root: Container): Generator<readonly [Container, string]> {
  const open: Container[] = [root];
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const name of Object.keys(each)) {
      yield [each, name];
      const inner = membersOf((each as { [name: string]: Json | undefined })[name]);
      if (inner !== null) open.push(inner);
    }
}

const read = (container: Container, name: string): Json | undefined =>
  (container as { [name: string]: Json | undefined })[name];

/** A member may have any name, including `__proto__`. */
function write(container: Container, name: string, value: Json): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}

/** What was removed; a position is given by its number in the walk. */
export interface TakenOut {
  /** Positions of long texts. */
  readonly places: readonly number[];
  readonly texts: readonly string[];
  /** Positions of exact numbers, which are replaced by their texts. */
  readonly exact: readonly number[];
}

/** Removes long texts and exact numbers from the content of `root`. */
export function removeBytes(root: Container): TakenOut {
  const [taken, exact]: [number[], number[]] = [[], []];
  const texts: string[] = [];
  let number = 0;
  for (const [container, name] of places(root)) {
    const value = read(container, name);
    if (typeof value === "string" && value.length >= longChars) {
      taken.push(number);
      texts.push(value);
      write(container, name, "");
    } else if (isExactNumber(value)) {
      exact.push(number);
      write(container, name, value.rawJSON);
    }
    number++;
  }
  return { places: taken, texts, exact };
}

/** Restores them. */
export function putBack(root: Container, { places: taken, texts, exact }: TakenOut): void {
  let [nextText, nextExact, number] = [0, 0, 0];
  for (const [container, name] of places(root)) {
    if (nextText === taken.length && nextExact === exact.length) return;
    if (number === taken[nextText]) write(container, name, texts[nextText++] ?? "");
    else if (number === exact[nextExact]) {
      write(container, name, exactNumber(String(read(container, name))));
      nextExact++;
    }
    number++;
  }
}
