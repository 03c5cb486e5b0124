// Arguments that are `null` are no arguments: every client gets `{}`, and every upstream is sent it, whole and streamed.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  clearUpstreams,
  startUpstreams,
  startWorld,
  stopWorld,
  type UpstreamName,
} from "../support/fixture-gateway.ts";
import { make, type Surface } from "../support/http-client.ts";
import { collectBy } from "../support/stream-writers.ts";
import type { Reply } from "../support/upstream.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams);
beforeEach(() => clearUpstreams(upstreams));
afterAll(() => stopWorld(world));

const events = (data: readonly object[]): Reply => ({
  frames: data.map((each) => `data: ${JSON.stringify(each)}\n\n`),
});
const openai = (call: object, member: "message" | "delta", reason: string | null) => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, [member]: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: reason }],
});
const chatCall = (args: string, name?: string) => ({
  index: 0,
  ...(name === undefined ? {} : { id: "c1", type: "function" }),
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
const response = (status: string, output: object[]) => ({
  id: "resp_1",
  object: "response",
  model: "m",
  status,
  output,
});
const item = (args: string) => ({ type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: args });

interface Far {
  readonly at: UpstreamName;
  readonly model: string;
  readonly client: Surface;
  /** A reply that calls `f` with these pieces of arguments. */
  readonly says: (pieces: readonly string[], stream: boolean) => Reply;
}

const fars: Far[] = [
  {
    at: "alpha",
    model: "gpt-x",
    client: "chat",
    says: (pieces, stream) =>
      stream
        ? events([
            openai(chatCall("", "f"), "delta", null),
            ...pieces.map((piece) => openai(chatCall(piece), "delta", null)),
            { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
          ])
        : { json: openai(chatCall(pieces.join(""), "f"), "message", "tool_calls") },
  },
  {
    at: "responder",
    model: "gpt-r",
    client: "responses",
    says: (pieces, stream) => {
      const done = { ...item(pieces.join("")), status: "completed" };
      if (!stream) return { json: response("completed", [done]) };
      return events([
        { type: "response.created", response: response("in_progress", []) },
        { type: "response.output_item.added", output_index: 0, item: item("") },
        ...pieces.map((delta) => ({
          type: "response.function_call_arguments.delta",
          item_id: "fc_1",
          output_index: 0,
          delta,
        })),
        { type: "response.output_item.done", output_index: 0, item: done },
        { type: "response.completed", response: response("completed", [done]) },
      ]);
    },
  },
  {
    at: "claude",
    model: "claude-x",
    client: "messages",
    says: (pieces, stream) => {
      const head = {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
      };
      const call = { type: "tool_use", id: "c1", name: "f", input: pieces.join("") === "null" ? null : {} };
      if (!stream) return { json: { ...head, content: [call], stop_reason: "tool_use" } };
      return events([
        { type: "message_start", message: { ...head, content: [] } },
        { type: "content_block_start", index: 0, content_block: call },
        ...pieces.map((partial_json) => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "input_json_delta", partial_json },
        })),
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ]);
    },
  },
  {
    at: "google",
    model: "gemini-x",
    client: "gemini",
    says: (pieces, stream) => {
      const args = pieces.length === 0 ? undefined : null;
      const parts = [{ functionCall: { id: "c1", name: "f", args } }];
      const body = { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }] };
      return stream ? events([body]) : { json: body };
    },
  },
];

const clients: readonly Surface[] = ["chat", "responses", "messages", "gemini"];
const pairs = clients.flatMap((client) => fars.filter((far) => far.client !== client).map((far) => ({ client, far })));

describe.each(pairs)("a client of $client and an upstream of $far.client", ({ client, far }) => {
  test.each([
    ["null", ["null"]],
    ["null in pieces", ["n", "ul", "l"]],
    ["nothing", []],
  ])("%s is {} whole and streamed", async (_case, pieces) => {
    for (const stream of [false, true]) {
      upstreams[far.at].on("*", far.says(pieces, stream));
      const { received: reply } = await make({ to: client, body: { model: far.model, stream } }, world);
      if (reply === null) throw new Error("no answer");
      expect(reply.text).not.toContain('"null"');
      expect(collectBy[client](reply).calls).toMatchObject([{ name: "f", input: {} }]);
    }
  });
});

test("text that only begins like null goes on in full", async () => {
  const [chat] = fars;
  upstreams.alpha.on("*", (chat as Far).says(["nu", "mber"], true));
  const { received } = await make({ to: "responses", body: { model: "gpt-x", stream: true } }, world);
  expect(received?.text).toContain('"arguments":"number"');
});

const user = { role: "user", content: "hi" };
const histories: Partial<Record<Surface, (args: string | null) => Record<string, unknown>>> = {
  chat: (args) => ({
    messages: [
      user,
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: args ?? "" } }],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
    ],
  }),
  responses: (args) => ({
    input: [
      user,
      { type: "function_call", call_id: "a", name: "f", arguments: args ?? "" },
      { type: "function_call_output", call_id: "a", output: "1" },
    ],
  }),
};
/** Where each upstream is sent a call's arguments. */
const sentInput: Partial<Record<UpstreamName, RegExp>> = {
  alpha: /"arguments":"\{\}"/,
  responder: /"arguments":"\{\}"/,
  claude: /"input":\{\}/,
  google: /"args":\{\}|"functionCall":\{"name":"f"\}/,
};

describe.each(Object.entries(histories))("a history of %s", (client, history) => {
  test.each(fars.filter((far) => far.client !== client))("is sent to $client with {}", async (far) => {
    for (const args of ["null", " null ", null]) {
      upstreams[far.at].on("*", far.says(["{}"], false));
      await make({ to: client as Surface, body: { ...history?.(args), model: far.model } }, world);
      expect(upstreams[far.at].requests.at(-1)?.text).toMatch(sentInput[far.at] as RegExp);
    }
  });
});
