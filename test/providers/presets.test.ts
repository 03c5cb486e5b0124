// The table of providers: every row is sound, and each habit does to a call what its fixture says.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { UpstreamRequest } from "../../src/dialects/dialect.ts";
import { anthropicMessages, openaiChat, openaiCompletions, openaiEmbeddings } from "../../src/dialects/index.ts";
import { baseOf, httpProvider } from "../../src/providers/http-provider.ts";
import { providerKinds } from "../../src/providers/index.ts";
import { presets } from "../../src/providers/presets.ts";
import { dialectsOf, type HttpKind } from "../../src/providers/provider.ts";
import { patchRequest } from "../../src/providers/request-quirks.ts";
import { wireJson } from "../support/fixtures.ts";
import { renderContextOf } from "../support/laws.ts";
import { kindOf, providerAt } from "./helpers.ts";

const folder = join(import.meta.dir, "..", "fixtures", "providers");
const names = readdirSync(folder).sort();
const calls = names.flatMap((name) =>
  readdirSync(join(folder, name))
    .filter((file) => file.startsWith("call-"))
    .map((file) => [name, file] as const),
);

describe("the table", () => {
  test("kinds and variables are unique", () => {
    const kinds = providerKinds.map(({ name }) => name);
    const variables = providerKinds.flatMap(({ environment }) => Object.values(environment ?? {}));
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(new Set(variables).size).toBe(variables.length);
    for (const name of variables) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
  });

  test("everybody is there", () => {
    const requested =
      "openrouter groq deepseek mistral xai together fireworks cerebras moonshot zhipu dashscope siliconflow";
    const local = "ollama lmstudio vllm llamacpp";
    expect(presets.map(({ name }) => name)).toEqual(expect.arrayContaining(`${requested} ${local}`.split(" ")));
  });

  test.each(presets.map((kind) => [kind.name, kind] as const))("%s is sound", (name, kind) => {
    const url = new URL(kind.baseUrl ?? "");
    const isLocal = kind.localPort !== undefined;
    expect({ protocol: url.protocol, local: url.hostname === "127.0.0.1" }).toEqual({
      protocol: isLocal ? "http:" : "https:",
      local: isLocal,
    });
    if (isLocal) expect(url.port).toBe(String(kind.localPort));
    else expect(kind.environment).toBeDefined();
    expect(kind.dialects[0]).toBe(openaiChat);
    expect(kind.origin).toBe(name);
    expect(kind.listing?.path).toBe("models");
    expect(baseOf({ kind, baseUrl: kind.baseUrl ?? "" })).toBe(kind.baseUrl ?? "");
  });

  test("every folder of fixtures belongs to a kind", () => {
    expect(names.filter((name) => !providerKinds.some(({ name: kind }) => kind === name))).toEqual([]);
  });
});

describe("calls", () => {
  test.each(calls)("%s/%s", (name, file) => {
    const { given, sent } = wireJson<{ given: UpstreamRequest; sent: UpstreamRequest }>(`providers/${name}/${file}`);
    const before = structuredClone(given);
    expect(patchRequest(kindOf(name), given)).toEqual(sent);
    expect(given).toEqual(before);
  });

  test.each(presets.map((kind) => [kind.name, kind] as const))("%s leaves a plain call alone", (_, kind) => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "Hello." },
    ];
    const call: UpstreamRequest = {
      path: "chat/completions",
      body: { model: "m", messages, temperature: 0.5, stream: true },
    };
    expect(patchRequest(kind, call)).toBe(call);
    const embed: UpstreamRequest = { path: "embeddings", body: { model: "m", input: ["a"] } };
    expect(patchRequest(kind, embed)).toBe(embed);
  });

  test.each(presets.map((kind) => [kind.name, kind] as const))("%s survives strange bodies", (_, kind) => {
    for (const messages of [undefined, "x", [7, null], [{ tool_calls: [7], tool_call_id: 3 }]]) {
      const body = { model: 7, messages, reasoning_effort: 3, thinking: "x" } as never;
      expect(() => patchRequest(kind, { path: "chat/completions", body })).not.toThrow();
    }
  });

  test("ids that are made fit are the same for the call and its result, whatever they were", () => {
    const id = "toolu_01A09q90qw90lq917835lq9";
    const tools = [{ id, type: "function", function: { name: "f", arguments: "{}" } }];
    const messages = [
      { role: "assistant", content: "", tool_calls: tools },
      { role: "tool", tool_call_id: id, content: "1" },
    ];
    const sent = patchRequest(kindOf("mistral"), { path: "chat/completions", body: { model: "m", messages } });
    const sentMessages = JSON.stringify(sent.body.messages);
    const [made] = /[a-f0-9]{9}(?=")/.exec(sentMessages) ?? [];
    expect(sentMessages.split(`"${made}"`)).toHaveLength(3);
  });

  test("thinking that nobody signed goes back to servers that insist on it, and to no other", () => {
    const wire = {
      model: "m",
      max_tokens: 100,
      messages: [
        { role: "user", content: "When?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Look it up.", signature: "gw1.none." },
            { type: "tool_use", id: "a", name: "f", input: {} },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
      ],
      tools: [{ name: "f", input_schema: { type: "object" } }],
    };
    const request = anthropicMessages.request.parse(wire, { header: () => null, params: {} });
    const thought = (kind: HttpKind) => {
      const context = renderContextOf(openaiChat as never, { origin: kind.origin, options: kind.options ?? {} });
      const sent = patchRequest(kind, openaiChat.request.render(request, context).call);
      return JSON.stringify(sent.body.messages).match(/"reasoning_content":"([^"]*)"/)?.[1];
    };
    expect(thought(kindOf("deepseek"))).toBe("Look it up.");
    expect(thought(kindOf("groq"))).toBeUndefined();
  });
});

describe("where and how a model is asked", () => {
  const bases: [string, string, string][] = [
    ["groq", "https://api.groq.com", "https://api.groq.com/openai/v1"],
    ["groq", "https://api.groq.com/", "https://api.groq.com/openai/v1"],
    ["groq", "https://proxy.example/groq", "https://proxy.example/groq"],
    ["cerebras", "https://api.cerebras.ai", "https://api.cerebras.ai/v1"],
    ["ollama", "http://10.0.0.5:11434", "http://10.0.0.5:11434/v1"],
    ["openai", "http://10.0.0.5:9000", "http://10.0.0.5:9000"],
  ];
  test.each(bases)("%s at %s", (name, baseUrl, base) => {
    expect(baseOf({ kind: kindOf(name), baseUrl })).toBe(base);
  });

  test("models that only continue a text speak completions, all others do not", () => {
    const provider = providerAt("openai", "http://127.0.0.1:9");
    const chatLike = (model: string) => dialectsOf(provider, model).filter(({ operation }) => operation === "chat");
    expect(chatLike("gpt-5.2")).not.toContain(openaiCompletions as never);
    expect(chatLike("gpt-5.2")).toContain(openaiChat as never);
    for (const model of ["gpt-3.5-turbo-instruct", "davinci-002", "ft:babbage-002:org::id"]) {
      expect(chatLike(model)).toEqual([openaiCompletions as never]);
    }
    expect(dialectsOf(provider, "text-embedding-3-small")).toContain(openaiEmbeddings as never);
  });

  test("where no model is told apart, all dialects are spoken", () => {
    const provider = providerAt("vllm", "http://127.0.0.1:9");
    expect(dialectsOf(provider, "x")).toBe(provider.kind.dialects);
    expect(provider.kind.dialects).toContain(openaiCompletions as never);
  });

  test("lists of models, in every shape", () => {
    const ids = (name: string) =>
      kindOf(name)
        .listing?.read(wireJson(`providers/${name}/models.json`))
        .map(({ id, displayName }) => displayName ?? id);
    expect(ids("together")).toEqual(["Meta Llama 3.3 70B Instruct Turbo", "BAAI-Bge-Base-1.5"]);
    expect(ids("ollama")).toEqual(["qwen3:8b"]);
    expect(ids("llamacpp")).toEqual(["a.gguf"]);
    expect(ids("lmstudio")).toEqual(["qwen/qwen3-8b", "text-embedding-nomic-embed-text-v1.5"]);
    expect(kindOf("together").listing?.read({ error: "no" })).toEqual([]);
  });

  test("an entry's own headers and a missing credential are respected", () => {
    const kind = kindOf("ollama");
    const entry = { name: "o", kind, baseUrl: "http://127.0.0.1:9", credential: null, models: ["a"], headers: {} };
    expect(httpProvider({ ...entry, timeouts: {} })).toMatchObject({
      entry: { name: "o", models: ["a"] },
      kind: { name: "ollama" },
    });
  });
});
