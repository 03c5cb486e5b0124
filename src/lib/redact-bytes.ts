// What does not cross to another thread as it is: long texts, which would be copied, and exact numbers. Taken out of a value, and put back in the same places.
import { exactNumber } from "./exact-json.ts";
import { isExactNumber, type Json } from "./json.ts";

/** A text of at least so many characters is long. */
const longChars = 64 * 1024;

type Container = Json[] | { [name: string]: Json | undefined };

const membersOf = (value: Json | undefined): Container | null =>
  typeof value === "object" && value !== null && !isExactNumber(value) ? (value as Container) : null;

/** Each place of a value that holds another, in an order that only depends on the value. */
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

/** A member may have any name, `__proto__` too. */
function write(container: Container, name: string, value: Json): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}

/** What was taken out; a place is told by its number in the walk. */
export interface TakenOut {
  /** Where long texts were. */
  readonly places: readonly number[];
  readonly texts: readonly string[];
  /** Where exact numbers were: their texts stand there instead. */
  readonly exact: readonly number[];
}

/** Takes long texts and exact numbers out of what is in `root`. */
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

/** Puts them back. */
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
