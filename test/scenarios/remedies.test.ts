// Refusals that name a remedy: the request goes once more in another dialect, or with reasoning off, and is remembered.
import { describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { openaiClient } from "../support/clients.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import { type Reply, upstream } from "../support/upstream.ts";
import { clockTool } from "./bodies.ts";

const refusal = (message: string): Reply => ({
  status: 400,
  json: { type: "error", error: { type: "invalid_request_error", message, param: null, code: null } },
});
const lostThinking = refusal(
  "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
);
const wantsResponses = refusal(
  "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
);
const claude = "claude/claude-sonnet-4-5-20250929";
const history = [
  { role: "user", content: "What time is it?" },
  { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "get_time", arguments: "{}" } }] },
  { role: "tool", tool_call_id: "a", content: "noon" },
];
const thinkingWire = {
  model: claude,
  max_tokens: 4096,
  thinking: { type: "enabled", budget_tokens: 2048 },
  messages: [
    { role: "user", content: "What time is it?" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "get_time", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "noon" }] },
  ],
};

const answered = (stream: boolean) => says(`anthropic-messages/text.${stream ? "sse" : "json"}`);

const claudes: Scenario[] = [false, true].flatMap((stream): Scenario[] => [
  {
    name: `a history that has lost its thinking goes with thinking off at once (chat, stream ${stream})`,
    call: { body: { model: claude, messages: history, reasoning_effort: "high", max_tokens: 8192, stream } },
    upstream: { claude: answered(stream) },
    sees: { headers: { "x-turnpike-warnings": "approximated;field=reasoning_effort" } },
    requested: { claude: [{ body: { thinking: { type: "disabled" } } }] },
  },
  {
    name: `a refusal for the lost thinking is asked again with thinking off (messages, stream ${stream})`,
    call: { to: "messages", body: { ...thinkingWire, stream } },
    upstream: { claude: [lostThinking, answered(stream)] },
    sees: { headers: { "x-turnpike-warnings": "approximated;field=thinking" } },
    requested: {
      claude: [{ body: { thinking: thinkingWire.thinking } }, { body: { thinking: { type: "disabled" } } }],
    },
  },
]);

const again: Scenario = {
  name: "it is asked again once",
  call: { to: "messages", body: thinkingWire },
  upstream: { claude: lostThinking },
  sees: { status: 400, error: { type: "invalid_request_error" } },
  requested: { claude: [{}, {}] },
};

const strict: Scenario = {
  name: "strict mode hears the refusal itself",
  call: { to: "messages", body: thinkingWire, headers: { "x-turnpike-strict": "true" } },
  upstream: { claude: lostThinking },
  sees: { status: 400, error: { message: expect.stringContaining("Expected `thinking`") } },
  requested: { claude: [{}] },
};

const families: Scenario[] = (["messages", "gemini"] as const).map((to) => ({
  name: `a reasoning model with tools is asked as responses at once (${to})`,
  call: {
    to,
    body: {
      model: "responder/gpt-5.2",
      ...(to === "messages"
        ? { tools: [{ name: "f", input_schema: { type: "object" } }] }
        : { tools: [{ functionDeclarations: [{ name: "f" }] }] }),
    },
  },
  upstream: { responder: says("openai-responses/text.json") },
  requested: { responder: [{ path: "/v1/responses" }] },
}));

const silent: Scenario = {
  name: "a model that reasons unasked is asked as responses by clients of chat with tools",
  call: { body: { model: "responder/gpt-5.6", tools: [clockTool] } },
  upstream: { responder: says("openai-responses/text.json") },
  requested: { responder: [{ path: "/v1/responses" }] },
  also: (received) => expect(at(received.json, "object")).toBe("chat.completion"),
};

scenarios("remedies", [...claudes, again, strict, ...families, silent]);

describe("what a server refused is remembered", () => {
  const answers = {
    "/v1/chat/completions": says("openai-chat/text.json"),
    "/v1/responses": says("openai-responses/text.json"),
  };
  const tools = [clockTool];
  const headers = { "anthropic-version": "2023-06-01" };
  const lacks = { status: 404, json: { error: { message: "Not found" } } };

  /** The paths that each of these requests was sent to, where the server refuses those with tools on one path. */
  async function pathsOf(refused: keyof typeof answers, reply: Reply, bodies: object[]): Promise<string[][]> {
    const server = await upstream();
    const provider = `{ kind: openai, base_url: "${server.url}/v1", credential: sk-x, models: [m, gpt-5.2] }`;
    const running = await gateway({ yaml: `providers:\n  mine: ${provider}\n` });
    const client = openaiClient(running.url, running.key);
    const paths: string[][] = [];
    for (const body of bodies) {
      const wantsTools = "tools" in body;
      for (const [path, answer] of Object.entries(answers))
        server.on(`POST ${path}`, wantsTools && path === refused ? reply : answer);
      const before = server.requests.length;
      const requested = { model: "m", messages: [{ role: "user", content: "hi" }], ...body };
      await client.post("max_tokens" in body ? "/messages" : "/chat/completions", { body: requested, headers });
      paths.push(server.requests.slice(before).map(({ path }) => path));
    }
    await running.stop();
    await server.stop();
    return paths;
  }

  test("for requests with tools, and not for others", async () => {
    const paths = await pathsOf("/v1/chat/completions", wantsResponses, [{ tools }, { tools }, {}]);
    expect(paths).toEqual([["/v1/chat/completions", "/v1/responses"], ["/v1/responses"], ["/v1/chat/completions"]]);
  });

  test("where a server has no responses", async () => {
    const body = { model: "gpt-5.2", max_tokens: 9, tools: [{ name: "f", input_schema: { type: "object" } }] };
    const paths = await pathsOf("/v1/responses", lacks, [body, body]);
    expect(paths).toEqual([["/v1/responses", "/v1/chat/completions"], ["/v1/chat/completions"]]);
  });
});
