// The same request as code: curl, Python and JavaScript, with the maker's own library where the format has one.
import { base } from "../../data/gateway.ts";
import { quoted } from "../requests/curl.ts";
import { type FormatName, formatOf } from "./chat.ts";
import type { Chat } from "./message.ts";

export const languages = { curl: "curl", python: "Python", javascript: "JavaScript" } as const;
export type Language = keyof typeof languages;

function curl(format: FormatName, chat: Chat): string {
  const { path, body, headers = {} } = formatOf(format);
  const all = ["Authorization: Bearer $TURNPIKE_KEY", "Content-Type: application/json"];
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [...all, ...more].map((header) => `  -H "${header}"`);
  return [`curl ${quoted(base + path(chat))}`, ...lines, `  -d ${quoted(JSON.stringify(body(chat), null, 2))}`].join(
    " \\\n",
  );
}

/** A value as Python writes it. */
function python(value: unknown, indent = ""): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value))
    return value.length === 0
      ? "[]"
      : `[\n${value.map((each) => inner + python(each, inner)).join(",\n")},\n${indent}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${python(each, inner)}`,
  );
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")},\n${indent}}`;
}

interface Library {
  readonly python: string;
  readonly javascript: string;
}

const openai = (method: string): Library => ({
  python: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["TURNPIKE_KEY"])
for event in client.${method}.create(**BODY):
    print(event)`,
  javascript: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}/v1", apiKey: process.env.TURNPIKE_KEY });
for await (const event of await client.${method}.create(BODY)) console.log(JSON.stringify(event));`,
});

const anthropic: Library = {
  python: `import os
from anthropic import Anthropic

client = Anthropic(base_url="${base}", api_key=os.environ["TURNPIKE_KEY"])
for event in client.messages.create(**BODY):
    print(event)`,
  javascript: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${base}", apiKey: process.env.TURNPIKE_KEY });
for await (const event of await client.messages.create(BODY)) console.log(JSON.stringify(event));`,
};

const plain = (url: string): Library => ({
  python: `import os
import httpx

headers = {"Authorization": f"Bearer {os.environ['TURNPIKE_KEY']}"}
with httpx.stream("POST", "${url}", headers=headers, json=BODY, timeout=600) as response:
    for line in response.iter_lines():
        print(line)`,
  javascript: `const response = await fetch("${url}", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.TURNPIKE_KEY}\`, "content-type": "application/json" },
  body: JSON.stringify(BODY),
});
for await (const piece of response.body.pipeThrough(new TextDecoderStream())) console.log(piece);`,
});

const libraries: { readonly [name in FormatName]: (url: string) => Library } = {
  chat: () => openai("chat.completions"),
  responses: () => openai("responses"),
  messages: () => anthropic,
  gemini: plain,
};

/** The code that sends this chat. */
export function codeOf(format: FormatName, chat: Chat, language: Language): string {
  if (language === "curl") return curl(format, chat);
  const { path, body } = formatOf(format);
  const text = libraries[format](base + path(chat))[language];
  const value = language === "python" ? python(body(chat)) : JSON.stringify(body(chat), null, 2);
  return text.replace("BODY", () => value);
}
