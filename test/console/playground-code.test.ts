// The code that the playground shows, run as its readers run it: in every client format and language, against a gateway.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { base } from "../../console/src/data/gateway.ts";
import { type FormatName, formats } from "../../console/src/pages/playground/chat.ts";
import { codeOf, type Language } from "../../console/src/pages/playground/code.ts";
import type { Chat } from "../../console/src/pages/playground/message.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
up.on("*", says("openai-chat/text.sse"));
const running = await gateway({
  yaml: `providers:
  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
`,
});
/** Where the libraries are found. */
const folder = mkdtempSync(join(import.meta.dir, "..", "..", "node_modules", ".code-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
  await up.stop();
});

/** With the libraries of the code; a virtual environment is named by the variable. */
const python = process.env["TURNPIKE_TEST_PYTHON"] ?? "python3";
const hasPython =
  Bun.which(python) !== null && Bun.spawnSync([python, "-c", "import openai, anthropic, httpx"]).exitCode === 0;
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Everything that a conversation may have, and characters that shells and languages treat in their own way. */
const chat: Chat = {
  model: "far/m",
  system: `Say "it's" \\ $HOME \`date\` é 😀 BODY $& {x}`,
  messages: [
    {
      role: "user",
      parts: [
        { kind: "image", url: `data:image/png;base64,${pixel}` },
        { kind: "text", text: "Weather?" },
      ],
    },
    {
      role: "assistant",
      parts: [
        { kind: "text", text: "I look." },
        { kind: "image", url: `data:image/png;base64,${pixel}` },
        { kind: "call", id: "call_1", name: "weather", args: '{"city":"Oslo"}' },
      ],
    },
    { role: "user", parts: [{ kind: "result", id: "call_1", name: "weather", text: "sunny\nand 'warm'" }] },
    { role: "assistant", parts: [{ kind: "text", text: "It is sunny." }] },
    { role: "user", parts: [{ kind: "text", text: "Thank you, that's all." }] },
  ],
  tools: [{ name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } }],
  ...{ effort: "low", output: "", temperature: null, maxTokens: 300 },
};

const commands: { readonly [language in Language]: (code: string, name: string) => string[] } = {
  curl: (code) => ["sh", "-c", code.replace("curl ", "curl --fail-with-body -sS ")],
  python: (code, name) => [python, written(`${name}.py`, code)],
  javascript: (code, name) => [process.execPath, written(`${name}.mjs`, code)],
};

function written(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

const languages: readonly Language[] = ["curl", "javascript", ...(hasPython ? (["python"] as const) : [])];
const cases = (Object.keys(formats) as FormatName[]).flatMap((format) =>
  languages.map((language) => [format, language] as const),
);

/** How the last event of each format is printed. */
const ends: { readonly [format in FormatName]: RegExp } = {
  chat: /finish_reason"?[:=]\s?["']stop/,
  responses: /response\.completed/,
  messages: /message_stop/,
  gemini: /"finishReason":\s?"STOP"/,
};

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

test.each(cases)("%s as %s runs, sends the chat as it is, and prints the whole answer", async (format, language) => {
  const code = codeOf(format, chat, language).replaceAll(base, running.url);
  expect(code).toContain(running.url);
  const child = Bun.spawn(commands[language](code, format), {
    env: { PATH: process.env["PATH"], TURNPIKE_KEY: running.key },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors, output.slice(0, 500)]).toEqual([0, "", expect.any(String)]);
  expect(output).toMatch(ends[format]);
  const [{ messages } = { messages: [] }] = up.requests.splice(0).map(({ json }) => json as Sent);
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  expect(messages[0]?.content).toEqual(chat.system);
  expect(messages[3]?.content).toContain("sunny");
  expect(JSON.stringify(messages[1])).toContain(pixel);
  expect(JSON.stringify(messages.slice(2))).not.toContain("image");
});
