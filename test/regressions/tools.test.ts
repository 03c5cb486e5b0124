// Classic translation bugs 11 to 20: arguments, definitions and choice of tools.
import { expect } from "bun:test";
import { answerSchema, clockTool, pixel } from "../scenarios/bodies.ts";
import { at, list } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { scenarios } from "../support/scenario.ts";
import {
  ask,
  blocksOf,
  bug,
  called,
  chatCall,
  chatResult,
  message,
  ofType,
  sent,
  streamed,
  textOf,
  twoCalls,
} from "./support.ts";

const toClaude = { model: "claude-x" };
/** It has no structured output of its own. */
const toOlderClaude = { model: "claude/claude-3-5-haiku-20241022" };
const inTool = [{ type: "tool_use", id: "toolu_1", name: "json_answer", input: { hour: 12 } }];
const claudeText = says("anthropic-messages/text.json");
const googleText = says("gemini/text.json");

scenarios("classic bugs: arguments, definitions and choice of tools", [
  bug(11, "a reply with calls stops for tools, whatever its label says", {
    call: { to: "messages", body: { model: "gpt-x", stream: true } },
    upstream: { alpha: says("openai-chat/google-tools.sse") },
    sees: { result: { stop: "tool_use", calls: twoCalls as never } },
  }),
  bug(12, "arguments as an object, calls without index and id, calls at once", {
    call: { to: "messages", body: { model: "gpt-x", stream: true } },
    upstream: { alpha: says("openai-chat/loose-tools.sse") },
    sees: {
      result: {
        calls: [
          { ...twoCalls[0], id: expect.stringMatching(/./) },
          { ...twoCalls[1], id: expect.stringMatching(/./) },
        ] as never,
      },
    },
  }),
  bug(13, "no arguments are {} both ways", {
    call: {
      body: {
        ...toClaude,
        messages: [ask, { ...called, tool_calls: [chatCall("a", "get_day", "")] }, chatResult("a", "Monday")],
      },
    },
    upstream: { claude: message([{ type: "tool_use", id: "t", name: "get_day", input: {} }], "tool_use") },
    also: (received, world) => {
      expect(at(ofType(blocksOf(list(sent(world, "claude"), "messages")[1]), "tool_use")[0], "input")).toEqual({});
      expect(at(received.json, "choices", 0, "message", "tool_calls", 0, "function", "arguments")).toBe("{}");
    },
  }),
  bug(14, "arguments that are no JSON do not end the conversation", {
    call: {
      body: {
        ...toClaude,
        messages: [ask, { ...called, tool_calls: [chatCall("a", "get_time", '{"zone":')] }, chatResult("a", "12:00")],
      },
    },
    upstream: { claude: claudeText },
    sees: { headers: { "x-turnpike-warnings": /approximated/ } },
    also: (_received, world) => {
      const input = at(ofType(blocksOf(list(sent(world, "claude"), "messages")[1]), "tool_use")[0], "input");
      expect(typeof input).toBe("object");
      expect(textOf(input)).toContain('{\\"zone\\":');
    },
  }),
  bug(15, "a tool of free text is wrapped on the way in and comes back as free text", {
    call: {
      to: "responses",
      body: { ...toClaude, tools: [{ type: "custom", name: "apply_patch", description: "Patch." }] },
    },
    upstream: {
      claude: message([{ type: "tool_use", id: "t", name: "apply_patch", input: { input: "*** Begin" } }], "tool_use"),
    },
    also: (received, world) => {
      expect(list(sent(world, "claude"), "tools")).toMatchObject([
        { name: "apply_patch", input_schema: { properties: { input: { type: "string" } } } },
      ]);
      expect(list(received.json, "output")).toMatchObject([
        { type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "t" },
      ]);
    },
  }),
  bug(16, "a forced tool and thinking are never asked for together", {
    call: {
      body: {
        model: "claude/claude-sonnet-4-5",
        reasoning_effort: "high",
        tools: [clockTool],
        tool_choice: "required",
      },
    },
    upstream: { claude: says("anthropic-messages/tools.json") },
    also: (_received, world) => {
      const forced = /any|tool/.test(String(at(sent(world, "claude"), "tool_choice", "type")));
      const thinking = at(sent(world, "claude"), "thinking", "type");
      expect({ forced, thinking: thinking === "enabled" || thinking === "adaptive" }).not.toEqual({
        forced: true,
        thinking: true,
      });
    },
  }),
  bug(17, "structured output never comes back as a tool call", {
    call: {
      body: {
        ...toClaude,
        response_format: { type: "json_schema", json_schema: { name: "at", schema: answerSchema } },
      },
    },
    upstream: { claude: says("anthropic-messages/structured.json") },
    sees: { result: { text: '{"hour":12}', calls: [], stop: "stop" } },
    requested: { claude: [{ lacksFields: ["tools", "tool_choice"] }] },
  }),
  ...[false, true].flatMap((stream) => [
    bug(17, `nor where a tool had to take it (chat, stream ${stream})`, {
      call: {
        body: {
          ...toOlderClaude,
          stream,
          response_format: { type: "json_schema", json_schema: { name: "at", schema: answerSchema } },
        },
      },
      upstream: { claude: stream ? streamed(inTool, "tool_use") : message(inTool, "tool_use") },
      sees: {
        headers: { "x-turnpike-warnings": "emulated;field=response_format" },
        result: { text: '{"hour":12}', calls: [], stop: "stop" },
        lacks: ["json_answer"],
      },
      requested: { claude: [{ body: { tool_choice: { type: "tool", name: "json_answer" } } }] },
    }),
    bug(17, `nor where a tool had to take it (responses, stream ${stream})`, {
      call: {
        to: "responses",
        body: {
          ...toOlderClaude,
          stream,
          store: false,
          text: { format: { type: "json_schema", name: "at", schema: answerSchema } },
        },
      },
      upstream: { claude: stream ? streamed(inTool, "tool_use") : message(inTool, "tool_use") },
      sees: { result: { text: '{"hour":12}', calls: [], stop: "completed" }, lacks: ["json_answer"] },
    }),
  ]),
  bug(18, "keywords that the upstream refuses go, properties of the same name stay", {
    call: {
      body: {
        model: "google/gemini-2.0-flash",
        tools: [
          {
            type: "function",
            function: {
              name: "save",
              parameters: {
                $schema: "https://json-schema.org/draft/2020-12/schema",
                type: "object",
                additionalProperties: false,
                properties: {
                  format: { type: "string" },
                  title: { type: ["string", "null"] },
                  default: { const: "a" },
                },
              },
            },
          },
        ],
      },
    },
    upstream: { google: googleText },
    also: (_received, world) => {
      const parameters = at(sent(world, "google"), "tools", 0, "functionDeclarations", 0, "parameters");
      expect(Object.keys(at(parameters, "properties") as object)).toEqual(["format", "title", "default"]);
      for (const keyword of ["$schema", "additionalProperties", "const"])
        expect(textOf(parameters)).not.toContain(`"${keyword}"`);
    },
  }),
  bug(19, "an image in a result arrives", {
    call: {
      to: "messages",
      body: {
        model: "gpt-x",
        messages: [
          { role: "user", content: "Look." },
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "shot", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "a",
                content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }],
              },
            ],
          },
        ],
      },
    },
    upstream: { alpha: says("openai-chat/text.json") },
    also: (_received, world) => {
      expect(textOf(list(sent(world, "alpha"), "messages"))).toContain(`data:image/png;base64,${pixel}`);
    },
  }),
  bug(20, "a function that is not strict says so to an upstream that is strict by default", {
    call: { body: { model: "gpt-r", tools: [clockTool] } },
    upstream: { responder: says("openai-responses/text.json") },
    also: (_received, world) => expect(list(sent(world, "responder"), "tools")).toMatchObject([{ strict: false }]),
  }),
]);
