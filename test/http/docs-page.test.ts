// What the page at /docs shows of each path: run as a browser runs it, on as much of a document as it touches.
import { expect, test } from "bun:test";
import { setting } from "./setting.ts";

const { world, send } = await setting();

interface Element {
  hidden: boolean;
  textContent: string;
  className: string;
  children: Element[];
  append(...children: Element[]): void;
  replaceChildren(...children: Element[]): void;
  addEventListener(): undefined;
}

function element(): Element {
  const made: Element = {
    hidden: false,
    textContent: "",
    className: "",
    children: [],
    append: (...children) => void made.children.push(...children),
    replaceChildren: (...children) => void made.children.splice(0, made.children.length, ...children),
    addEventListener: () => undefined,
  };
  return made;
}

const textOf = ({ textContent, children }: Element): string => [textContent, ...children.map(textOf)].join(" ");

/** The text of each path's box, by method and path. */
async function shown(): Promise<Map<string, string>> {
  const key = world.gateway.key;
  const page = await (await send(`/docs?key=${key}`)).text();
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? "";
  const elements = new Map<string, Element>();
  const { promise, resolve } = Promise.withResolvers<Element[]>();
  const byId = (id: string): Element => {
    const found = elements.get(id) ?? element();
    elements.set(id, found);
    if (id === "rows") found.replaceChildren = (...children) => resolve(children);
    return found;
  };
  const document = { createElement: element, getElementById: byId };
  const location = { origin: world.gateway.url, search: `?key=${key}` };
  const fetched = (path: string, options: RequestInit) => fetch(world.gateway.url + path, options);
  new Function("document", "location", "history", "fetch", script)(
    document,
    location,
    { replaceState: () => undefined },
    fetched,
  );
  const boxes = await promise;
  return new Map(
    boxes.map((box) => {
      const [summary, body] = box.children;
      const [method, path] = summary?.children ?? [];
      return [`${method?.textContent} ${path?.textContent}`, body === undefined ? "" : textOf(body)];
    }),
  );
}

const boxes = await shown();

test.each([
  ["POST /v1/embeddings", ["application/json", "encoding_format", '"float" | "base64"']],
  [
    "POST /v1/images/generations",
    ["shape 1 of 2", "input.messages[].content[].text", "parameters.size", "shape 2 of 2", "prompt"],
  ],
  ["POST /v1/images/edits", ["input.messages[].content[].image", "images[].image_url", "multipart/form-data", "mask"]],
  ["POST /v1/audio/transcriptions", ["multipart/form-data", "file", "timestamp_granularities"]],
  ["POST /v1/audio/speech", ["4096 characters", "voice"]],
  ["POST /v1/rerank", ["documents", "top_n"]],
  ["GET /v1/models", ["No body."]],
])("%s", (row, words) => {
  const text = boxes.get(row) ?? "";
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
});

test("every path that takes a body shows its fields", () => {
  const empty = [...boxes].filter(
    ([row, text]) => row.startsWith("POST") && /Bounds What it is\s*(?:\d{3}|$)/.test(text),
  );
  expect(empty.map(([row]) => row)).toEqual([]);
});
