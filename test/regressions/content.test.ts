// Classic translation bugs 21 to 30: messages and content.
import { expect } from "bun:test";
import { pixel } from "../scenarios/bodies.ts";
import { at, list } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { scenarios } from "../support/scenario.ts";
import { blocksOf, bug, chatCall, chatResult, sent, textOf } from "./support.ts";

const toClaude = { model: "claude-x" };
const user = (content: unknown) => ({ role: "user", content });
const claude = says("anthropic-messages/text.json");
const pdf = Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").toString("base64");
const image = (url: string) => user([{ type: "image_url", image_url: { url } }]);
const sourceOf = (wire: unknown) => at(list(wire, "messages")[0], "content", 0);

scenarios("classic bugs: messages and content", [
  bug(21, "empty texts and empty turns do not reach the upstream", {
    call: {
      body: {
        ...toClaude,
        messages: [
          user([
            { type: "text", text: "" },
            { type: "text", text: "Hi." },
          ]),
          { role: "assistant", content: "" },
          user("On."),
        ],
      },
    },
    upstream: { claude },
    also: (_received, world) => expect(textOf(sent(world, "claude"))).not.toMatch(/"text":""|"content":(?:""|\[\])/),
  }),
  ...(["gpt-x", "claude-x"] as const).map((model) =>
    bug(22, `null content beside calls is legal (${model})`, {
      call: {
        body: {
          model,
          messages: [
            user("Hi."),
            { role: "assistant", content: null, tool_calls: [chatCall("a", "f", "{}")] },
            chatResult("a", "1"),
          ],
        },
      },
      upstream: { claude, alpha: says("openai-chat/text.json") },
      sees: { result: { text: "Hello there, traveller." } },
    }),
  ),
  bug(23, "a system message in the middle stays in the middle", {
    call: {
      body: {
        ...toClaude,
        messages: [
          user("One."),
          { role: "assistant", content: "Two." },
          { role: "system", content: "Be brief." },
          user("Three."),
        ],
      },
    },
    upstream: { claude },
    also: (_received, world) => {
      const turns = textOf(list(sent(world, "claude"), "messages"));
      expect(textOf(at(sent(world, "claude"), "system"))).not.toContain("Be brief.");
      expect(turns.indexOf("Two.")).toBeLessThan(turns.indexOf("Be brief."));
      expect(turns.indexOf("Be brief.")).toBeGreaterThan(0);
    },
  }),
  bug(24, "several system messages are kept, in order", {
    call: {
      body: {
        ...toClaude,
        messages: [
          { role: "system", content: "First." },
          { role: "developer", content: "Second." },
          { role: "system", content: "Third." },
          user("Hi."),
        ],
      },
    },
    upstream: { claude },
    also: (_received, world) =>
      expect(textOf(at(sent(world, "claude"), "system"))).toMatch(/First\..*Second\..*Third\./),
  }),
  bug(25, "white space at the end of a last assistant turn goes", {
    call: { body: { ...toClaude, messages: [user("Count."), { role: "assistant", content: "One, two, \n" }] } },
    upstream: { claude },
    also: (_received, world) => expect(textOf(list(sent(world, "claude"), "messages").at(-1))).toContain('One, two,"'),
  }),
  bug(26, "an address stays an address", {
    call: { body: { ...toClaude, messages: [image("https://example.com/a.png")] } },
    upstream: { claude },
    also: (_received, world) =>
      expect(sourceOf(sent(world, "claude"))).toMatchObject({
        type: "image",
        source: { type: "url", url: "https://example.com/a.png" },
      }),
  }),
  bug(26, "the type of an image is what its bytes say", {
    call: { body: { ...toClaude, messages: [image(`data:image/jpg;base64,${pixel}`)] } },
    upstream: { claude },
    also: (_received, world) =>
      expect(sourceOf(sent(world, "claude"))).toMatchObject({
        source: { type: "base64", media_type: "image/png", data: pixel },
      }),
  }),
  bug(27, "a PDF is a document, also where it came as an image", {
    call: {
      body: {
        ...toClaude,
        messages: [
          user([
            { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
            { type: "image_url", image_url: { url: `data:application/pdf;base64,${pdf}` } },
          ]),
        ],
      },
    },
    upstream: { claude },
    also: (_received, world) => {
      const blocks = blocksOf(list(sent(world, "claude"), "messages")[0]);
      expect(blocks).toMatchObject([
        { type: "document", source: { media_type: "application/pdf", data: pdf } },
        { type: "document", source: { media_type: "application/pdf", data: pdf } },
      ]);
    },
  }),
  bug(28, "sound that cannot be used is refused, not lost", {
    call: {
      body: {
        ...toClaude,
        messages: [
          user([
            { type: "text", text: "Listen." },
            { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
          ]),
        ],
      },
    },
    sees: {
      status: 400,
      error: {
        code: "unsupported_parameter",
        param: expect.stringContaining("messages[0].content[1]") as unknown as string,
      },
    },
    requested: {},
  }),
  bug(28, "sound that can be used arrives", {
    call: {
      body: {
        model: "gemini-x",
        messages: [user([{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }])],
      },
    },
    upstream: { google: says("gemini/text.json") },
    also: (_received, world) =>
      expect(textOf(sent(world, "google"))).toMatch(/"inlineData":\{"mimeType":"audio\/(?:x-)?wav","data":"UklGRg=="/),
  }),
  bug(29, "base64 with a data prefix, or of the URL alphabet, is made plain", {
    call: {
      to: "messages",
      body: {
        model: "gpt-x",
        messages: [
          user([
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: `data:image/png;base64,${pixel}` },
            },
            {
              type: "image",
              source: {
                type: "base64",
                media_type: "image/png",
                data: pixel.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
              },
            },
          ]),
        ],
      },
    },
    upstream: { alpha: says("openai-chat/text.json") },
    also: (_received, world) => {
      const urls = list(sent(world, "alpha"), "messages", 0, "content").map((part) => at(part, "image_url", "url"));
      expect(urls).toEqual([`data:image/png;base64,${pixel}`, `data:image/png;base64,${pixel}`]);
    },
  }),
  bug(30, "characters of several bytes stay whole at every cut", {
    call: { body: { ...toClaude, stream: true } },
    upstream: { claude: says("anthropic-messages/unicode.sse", { cutAt: "byte" }) },
    sees: { result: { text: "Grüße, 世界 👩‍👩‍👧 é\u2028end" }, lacks: ["\uFFFD"] },
  }),
]);
