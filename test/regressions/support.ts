// Short hands for the rows of classic bugs: numbered scenarios, and what an upstream was sent.

import { at, list } from "../support/chat-stream-reader.ts";
import type { UpstreamName, World } from "../support/fixture-gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import type { Scenario } from "../support/scenario.ts";
import type { Reply, Script } from "../support/upstream.ts";

/** A row of the list of bugs. */
export const bug = (number: number, name: string, scenario: Omit<Scenario, "name">): Scenario => ({
  name: `#${number}: ${name}`,
  ...scenario,
});

/** The JSON of the last request that an upstream got. */
export const sent = (world: World, name: UpstreamName): unknown => world.upstreams[name].requests.at(-1)?.json;

export const textOf = (value: unknown): string => JSON.stringify(value) ?? "";

/** Asks again, as the next turn of a conversation, and gives what the client received. */
export async function askAgain(world: World, name: UpstreamName, script: Script, call: Call): Promise<Received> {
  world.upstreams[name].on("*", script);
  const { received } = await make(call, world);
  if (received?.status !== 200) throw new Error(`the second turn failed: ${received?.status} ${received?.text}`);
  return received;
}

/** A whole message of a Claude-like upstream with these blocks. */
export const message = (content: object[], stop = "end_turn"): Reply => ({
  json: {
    id: "msg_bug",
    type: "message",
    role: "assistant",
    model: "claude-x-20260115",
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 4 },
  },
});

/** The same blocks as such an upstream streams them. */
export function streamed(content: readonly { type: string; [name: string]: unknown }[], stop = "end_turn"): Reply {
  const events: { type: string; [name: string]: unknown }[] = [
    {
      type: "message_start",
      message: {
        id: "msg_bug",
        type: "message",
        role: "assistant",
        model: "claude-x",
        content: [],
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index) => blockEvents(block, index)),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 4 } },
    { type: "message_stop" },
  ];
  return { frames: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
}

function blockEvents(block: { type: string; [name: string]: unknown }, index: number) {
  const pieces: Record<string, { blank: object; deltas: object[] }> = {
    thinking: {
      blank: { thinking: "", signature: "" },
      deltas: [
        ...(block.thinking ? [{ type: "thinking_delta", thinking: block.thinking }] : []),
        { type: "signature_delta", signature: block.signature },
      ],
    },
    text: { blank: { text: "" }, deltas: [{ type: "text_delta", text: block.text }] },
    tool_use: {
      blank: { input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
    },
  };
  const { blank, deltas } = pieces[block.type] ?? { blank: {}, deltas: [] };
  return [
    { type: "content_block_start", index, content_block: { ...block, ...blank } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

export const blocksOf = (turn: unknown): unknown[] => (Array.isArray(at(turn, "content")) ? list(turn, "content") : []);
export const ofType = (blocks: unknown[], type: string): unknown[] =>
  blocks.filter((each) => at(each, "type") === type);

export const chatCall = (id: string, name: string, input: string) => ({
  id,
  type: "function",
  function: { name, arguments: input },
});
export const chatResult = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

/** A question, two parallel calls, and what they are as a client hears them. */
export const ask = { role: "user", content: "What time and day is it?" };
export const called = {
  role: "assistant",
  content: null,
  tool_calls: [chatCall("call_a", "get_time", '{"zone":"UTC"}'), chatCall("call_b", "get_day", "{}")],
};
export const twoCalls = [
  { name: "get_time", input: { zone: "UTC" } },
  { name: "get_day", input: {} },
];
