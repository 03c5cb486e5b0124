// Turns and what they hold in this dialect's words: calls and results, system turns, cache points, images and documents.
import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, FunctionTool } from "../../../src/canonical/chat.ts";
import { call, claude, llama, messageOf, messagesOf, oss, refusal, rendered, result } from "./bench.ts";

const parameters = { type: "object", properties: { zone: { type: "string" } } };
const tool: FunctionTool = { kind: "function", name: "get_time", description: "Tells the time.", parameters };
const spec = { name: "get_time", description: "Tells the time.", inputSchema: { json: parameters } };
const png = "iVBORw0KGgoAAAANSUhEUg==";
const bytes = (mediaType: string, base64: string) => ({ kind: "bytes", mediaType, base64 }) as const;

const refused = (more: Partial<ChatRequest>, model = claude) => refusal(() => rendered(more, model));

describe("history", () => {
  test("calls and results, all results at once, failures marked", () => {
    const turns = [
      messageOf("user", "hi"),
      messageOf("assistant", call("a"), "Let me see.", call("b")),
      messageOf("tool", result("b", "", true), result("a")),
      messageOf("user", "and?"),
    ];
    const { messages, warnings } = messagesOf(turns, { tools: [tool] });
    const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: "get_time", input: { zone: "UTC" } } });
    expect(messages).toEqual([
      { role: "user", content: [{ text: "hi" }] },
      { role: "assistant", content: [{ text: "Let me see." }, toolUse("a"), toolUse("b")] },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "noon" }] } },
          { toolResult: { toolUseId: "b", content: [{ text: "error" }], status: "error" } },
          { text: "and?" },
        ],
      },
    ]);
    expect(warnings).toEqual([]);
  });

  test("failures in words, where no mark is known", () => {
    const turns = [
      messageOf("user", "hi"),
      messageOf("assistant", call("a")),
      messageOf("tool", result("a", "down", true)),
    ];
    const { messages, warnings } = messagesOf(turns, { tools: [tool] }, oss);
    expect(messages).toMatchObject([
      {},
      {},
      { content: [{ toolResult: { content: [{ text: "Error:" }, { text: "down" }] } }] },
    ]);
    expect(warnings).toEqual(["approximated client.messages"]);
  });

  test.each([[{ tools: [] }], [{ tools: [tool], toolChoice: { type: "none" } }]] as const)(
    "without tools the service knows no calls: %j",
    (more) => {
      const turns = [
        messageOf("user", "hi"),
        messageOf("assistant", call("a")),
        messageOf("tool", result("a")),
        messageOf("user", "so?"),
      ];
      const { messages, warnings } = messagesOf(turns, more);
      expect(messages).toEqual([
        { role: "user", content: [{ text: "hi" }] },
        { role: "assistant", content: [{ text: '[Call of the tool get_time: {"zone":"UTC"}]' }] },
        { role: "user", content: [{ text: "[Result of the tool call a]" }, { text: "noon" }, { text: "so?" }] },
      ]);
      expect(warnings).toEqual(["approximated client.messages"]);
    },
  );

  test("system turns in the middle keep their place, those at the front are the system prompt", () => {
    const turns = [
      messageOf("system", "Be brief."),
      messageOf("user", "hi"),
      messageOf("system", "Now rhyme."),
      messageOf("user", "go"),
    ];
    const { body } = rendered({ system: [{ type: "text", text: "You are kind." }], messages: turns });
    expect(body.system).toEqual([{ text: "You are kind." }, { text: "Be brief." }]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ text: "hi" }, { text: "<system>\nNow rhyme.\n</system>" }, { text: "go" }] },
    ]);
  });

  test("cache marks become cache points, for models that have caches", () => {
    const cache = { wire: { type: "ephemeral", ttl: "1h" } };
    const more: Partial<ChatRequest> = {
      system: [{ type: "text", text: "Long.", cache: { wire: { type: "ephemeral" } } }],
      messages: [messageOf("user", { type: "text", text: "hi", cache })],
      tools: [{ ...tool, cache }],
    };
    expect(rendered(more).body).toMatchObject({
      system: [{ text: "Long." }, { cachePoint: { type: "default" } }],
      messages: [{ content: [{ text: "hi" }, { cachePoint: { type: "default", ttl: "1h" } }] }],
      toolConfig: { tools: [{ toolSpec: spec }, { cachePoint: { type: "default", ttl: "1h" } }] },
    });
    expect(JSON.stringify(rendered(more, llama).body)).not.toContain("cachePoint");
  });
});

describe("media", () => {
  test("images and documents by their bytes; documents by names of their own, and never alone", () => {
    const pdf: Block = { type: "document", source: bytes("application/pdf", "JVBERi0xLjc="), title: "Plan_é.pdf" };
    const note: Block = { type: "document", source: { kind: "text", text: "Grüße" } };
    const image: Block = { type: "image", source: bytes("image/jpg", png) };
    const { messages, warnings } = messagesOf([messageOf("user", image, pdf, pdf, note)]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "png", source: { bytes: png } } },
          { document: { format: "pdf", name: "Plan pdf", source: { bytes: "JVBERi0xLjc=" } } },
          { document: { format: "pdf", name: "Plan pdf 2", source: { bytes: "JVBERi0xLjc=" } } },
          { document: { format: "txt", name: "document", source: { bytes: Buffer.from("Grüße").toString("base64") } } },
          { text: "." },
        ],
      },
    ]);
    expect(warnings).toEqual(["approximated client.messages"]);
  });

  test("data addresses are opened", () => {
    const image: Block = { type: "image", source: { kind: "url", url: `data:image/png;base64,${png}` } };
    expect(messagesOf([messageOf("user", image)]).messages).toMatchObject([
      { content: [{ image: { format: "png", source: { bytes: png } } }] },
    ]);
  });

  test.each([
    ["an address", { type: "image", source: { kind: "url", url: "https://example.com/a.png" }, path: "m[0].u" }],
    ["a stored file", { type: "document", source: { kind: "file", id: "file_1" }, path: "m[0].u" }],
    ["another dialect's part", { type: "foreign", origin: "anthropic-messages", wire: {}, path: "m[0].u" }],
    ["audio", { type: "audio", source: bytes("audio/wav", "AA=="), path: "m[0].u" }],
  ] as const)("%s is refused by its path, in results too", (_, block) => {
    const answer = { kind: "unsupported_parameter", param: "m[0].u", status: 400 };
    expect(refused({ messages: [messageOf("user", block)] })).toEqual(answer);
    if (block.type === "audio") return;
    const results: Block = { type: "tool-result", callId: "a", isError: false, content: [block] };
    expect(
      refused({ messages: [messageOf("assistant", call("a")), messageOf("tool", results)], tools: [tool] }),
    ).toEqual(answer);
  });
});
