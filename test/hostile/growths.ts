// The ways in which one field of a JSON body grows: deep, wide, long, many, and what makes a parser work hard.

type Json = Record<string, unknown>;

interface Grown {
  readonly name: string;
  /** The body as text: some of it is no JSON. */
  text(base: Json): string;
}

type Grow = (base: Json, field: string, size: number, random: () => number) => Grown;

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index));

/** Puts a value into the field. */
const into =
  (make: (size: number, base: Json, field: string) => unknown): Grow =>
  (base, field, size) => {
    const value = make(size, base, field);
    return { name: field, text: (all) => JSON.stringify({ ...all, [field]: value }) };
  };

/** Writes a value as it stands into the field. */
const raw =
  (make: (size: number) => string): Grow =>
  (_base, field, size) => ({
    name: field,
    text: (all) =>
      `${JSON.stringify({ ...all, [field]: undefined }).slice(0, -1)},${JSON.stringify(field)}:${make(size)}}`,
  });

const texts: readonly (readonly [string, string])[] = [
  ["letters", "abc "],
  ["digits", "1"],
  ["exponents", "1e999 "],
  ["quotes", '"'],
  ["backslashes", "\\"],
  ["line ends", "\n"],
  ["controls", "\u0001"],
  ["Latin", "é"],
  ["Chinese", "界"],
  ["emoji", "😀"],
  ["half a pair", "\ud83d"],
  ["marks of thinking", "<think>"],
  ["data URI", "data:image/png;base64,"],
  ["Base64", "iVBORw0KGgo"],
];

/** What the field holds already, many times: it passes the schema. */
function repeated(size: number, base: Json, field: string): unknown {
  const value = base[field];
  if (Array.isArray(value)) return many(size / 40, () => value[0]);
  return typeof value === "string"
    ? value.repeat(Math.max(1, size / (value.length || 1)))
    : many(size / 4, () => value);
}

/** By a name; each grows one field to about `size` bytes. */
export const growths: readonly (readonly [string, Grow])[] = [
  ["names", into((size) => Object.fromEntries(many(size / 10, (index) => [`k${index}`, index % 100])))],
  [
    "names beside it",
    (_base, field, size) => ({
      name: field,
      text: (all) => JSON.stringify({ ...all, ...Object.fromEntries(many(size / 10, (index) => [`k${index}`, 1])) }),
    }),
  ],
  ["numbers", into((size) => many(size / 6, (index) => index))],
  ["lists", into((size) => many(size / 3, () => []))],
  ["objects", into((size) => many(size / 12, (index) => ({ a: index })))],
  ["messages", into((size) => many(size / 40, (index) => ({ role: index % 2 ? "assistant" : "user", content: "hi" })))],
  ["parts", into((size) => [{ role: "user", content: many(size / 30, () => ({ type: "text", text: "a" })) }])],
  [
    "tools",
    into((size) =>
      many(size / 90, (index) => ({
        type: "function",
        function: { name: `f${index}`, parameters: { type: "object" } },
      })),
    ),
  ],
  ["short texts", into((size) => many(size / 5, () => "ab"))],
  ["middling texts", into((size) => many(size / 3_000, () => "x\n".repeat(1_000)))],
  ["empty texts", into((size) => many(size / 3, () => ""))],
  ["what it held", into(repeated)],
  ["depth of lists", raw((size) => "[".repeat(size / 2) + "]".repeat(size / 2))],
  ["depth of objects", raw((size) => `${'{"a":'.repeat(size / 6)}1${"}".repeat(size / 6)}`)],
  [
    "depth within bounds",
    raw((size) =>
      many(size / 250, () => `${"[".repeat(100)}${"]".repeat(100)}`)
        .join(",")
        .replace(/^/, "[")
        .concat("]"),
    ),
  ],
  ["a long number", raw((size) => "1".repeat(size))],
  ["long numbers", raw((size) => `[${many(size / 900, () => "1".repeat(900)).join(",")}]`)],
  ["exponents", raw((size) => `[${many(size / 6, () => "1e200").join(",")}]`)],
  ["white space", raw((size) => `${" \n\t".repeat(size / 3)}1`)],
  ["one name many times", raw((size) => `{${many(size / 6, () => '"a":1').join(",")}}`)],
  ["commas", raw((size) => `[${",".repeat(size)}]`)],
  ["colons", raw((size) => `{${":".repeat(size)}}`)],
  ["no end", raw((size) => `["${"x".repeat(size)}`)],
  ["escapes", raw((size) => `"${"\\u0041".repeat(size / 6)}"`)],
  ["__proto__", raw((size) => `{"__proto__":{${many(size / 12, (index) => `"p${index}":1`).join(",")}}}`)],
  ...texts.map(([name, text]): readonly [string, Grow] => [
    name,
    into((size) => text.repeat(Math.max(1, size / text.length))),
  ]),
  ...texts.map(([name, text]): readonly [string, Grow] => [
    `a message of ${name}`,
    (_base, _field, size) => {
      const content = text.repeat(Math.max(1, size / text.length));
      const fields = {
        messages: [{ role: "user", content }],
        input: content,
        prompt: content,
        query: content,
        contents: [{ role: "user", parts: [{ text: content }] }],
      };
      return {
        name: "",
        text: (all) =>
          JSON.stringify({ ...all, ...Object.fromEntries(Object.entries(fields).filter(([field]) => field in all)) }),
      };
    },
  ]),
];
