// Numbers that JavaScript cannot hold keep their text: in requests, replies and streams, translated or passed through.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  clearUpstreams,
  startUpstreams,
  startWorld,
  stopWorld,
  type UpstreamName,
} from "../support/fixture-gateway.ts";
import { wireText } from "../support/fixtures.ts";
import type { Reply } from "../support/upstream.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams);
beforeEach(() => clearUpstreams(upstreams));
afterAll(() => stopWorld(world));

const wide = ["1152921504606846977", "-9007199254740993", "1E400", "0.12345678901234567890123", "1e-400"];
const list = `[${wide.join(",")}]`;

interface Client {
  readonly path: (model: string, stream: boolean) => string;
  /** A request with the list in a tool's schema, in a call of the history, and in its result where that is no text. */
  readonly body: (model: string, stream: boolean) => string;
  /** How often the list stands in the request. */
  readonly places: number;
}

const text = (value: string): string => JSON.stringify(value);
const schema = `{"type":"object","properties":{"n":{"enum":${list}}}}`;
const args = `{"n":${list}}`;

const clients: Record<string, Client> = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (model, stream) =>
      `{"model":"${model}","stream":${stream},"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${text(args)}}}]},{"role":"tool","tool_call_id":"a","content":${text(args)}}]}`,
    places: 3,
  },
  responses: {
    path: () => "/v1/responses",
    body: (model, stream) =>
      `{"model":"${model}","stream":${stream},"tools":[{"type":"function","name":"f","parameters":${schema}}],"input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a","name":"f","arguments":${text(args)}},{"type":"function_call_output","call_id":"a","output":${text(args)}}]}`,
    places: 3,
  },
  messages: {
    path: () => "/v1/messages",
    body: (model, stream) =>
      `{"model":"${model}","stream":${stream},"max_tokens":99,"tools":[{"name":"f","input_schema":${schema}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":${text(args)}}]}]}`,
    places: 3,
  },
  gemini: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () =>
      `{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":${args}}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":${args}}}]}]}`,
    places: 3,
  },
};

interface Far {
  readonly at: UpstreamName;
  readonly model: string;
  /** A reply with a call of the list. */
  readonly says: (stream: boolean) => Reply;
}

const json = (body: string): Reply => ({ text: body, headers: { "content-type": "application/json" } });
const frames = (...data: string[]): Reply => ({ frames: data.map((each) => `data: ${each}\n\n`) });
const events = (...data: [string, string][]): Reply => ({
  frames: data.map(([event, each]) => `event: ${event}\ndata: ${each}\n\n`),
});
/** A fixture's call of two tools, the first with the list. */
const fixture = (name: string, from: string, to: string): Reply => json(wireText(name).replace(from, to));

const fars: Record<string, Far> = {
  "openai-chat": {
    at: "alpha",
    model: "gpt-x",
    says: (stream) => {
      const call = `{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":${text(args)}}}`;
      return stream
        ? frames(
            `{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${call}]},"finish_reason":null}]}`,
            `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
            "[DONE]",
          )
        : json(
            `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`,
          );
    },
  },
  "anthropic-messages": {
    at: "claude",
    model: "claude-x",
    says: (stream) => {
      const block = `{"type":"tool_use","id":"c1","name":"f","input":`;
      const head = `{"id":"m","type":"message","role":"assistant","model":"m","usage":{"input_tokens":1,"output_tokens":1},"content":`;
      return stream
        ? events(
            ["message_start", `{"type":"message_start","message":${head}[]}}`],
            ["content_block_start", `{"type":"content_block_start","index":0,"content_block":${block}${args}}}`],
            ["content_block_stop", `{"type":"content_block_stop","index":0}`],
            [
              "message_delta",
              `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}`,
            ],
            ["message_stop", `{"type":"message_stop"}`],
          )
        : json(`${head}[${block}${args}}],"stop_reason":"tool_use"}`);
    },
  },
  gemini: {
    at: "google",
    model: "gemini-x",
    says: (stream) => {
      const body = `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${args}}}]},"finishReason":"STOP"}],"responseId":"r"}`;
      return stream ? frames(body) : json(body);
    },
  },
  "openai-responses": {
    at: "responder",
    model: "gpt-r",
    says: (stream) => {
      if (!stream) return fixture("openai-responses/tools.json", '"{\\"zone\\":\\"UTC\\"}"', text(args));
      const item = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":`;
      const response = `{"id":"resp_1","object":"response","model":"m","status":`;
      return events(
        ["response.created", `{"type":"response.created","response":${response}"in_progress","output":[]}}`],
        ["response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":${item}""}}`],
        [
          "response.output_item.done",
          `{"type":"response.output_item.done","output_index":0,"item":${item}${text(args)},"status":"completed"}}`,
        ],
        [
          "response.completed",
          `{"type":"response.completed","response":${response}"completed","output":[${item}${text(args)},"status":"completed"}]}}`,
        ],
      );
    },
  },
};

async function ask(client: Client, model: string, stream: boolean, body = client.body(model, stream)): Promise<string> {
  const response = await fetch(`${world.gateway.url}${client.path(model, stream)}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.gateway.key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body,
  });
  return response.text();
}

/** How often the list stands in a text, within strings or not. */
const count = (body: string): number => body.replaceAll('\\"', '"').split(list).length - 1;

describe.each(Object.entries(clients))("a client of %s", (_name, client) => {
  describe.each(Object.entries(fars))("and an upstream of %s", (_far, far) => {
    test.each([false, true])("stream %p", async (stream) => {
      upstreams[far.at].on("*", far.says(stream));
      const received = await ask(client, far.model, stream);
      const sent = upstreams[far.at].requests.at(-1)?.text ?? "";
      expect(count(sent)).toBe(client.places);
      expect(count(received)).toBeGreaterThan(0);
      for (const changed of ["1152921504606847000", "9007199254740992", "null,0.123"])
        expect(`${sent}${received}`).not.toContain(changed);
    });
  });
});

describe("seeds and fields that nobody knows", () => {
  const seed = "1152921504606846977";
  const hello = '"messages":[{"role":"user","content":"hi"}]';
  const chat = clients.chat as Client;

  test("keep their text on the way through", async () => {
    upstreams.alpha.on("*", (fars["openai-chat"] as Far).says(false));
    await ask(chat, "gpt-x", false, `{"model":"gpt-x",${hello},"seed":${seed},"more":${seed},"metadata":{"a":"b"}}`);
    const sent = upstreams.alpha.requests[0]?.text ?? "";
    expect([sent.includes(`"seed":${seed}`), sent.includes(`"more":${seed}`)]).toEqual([true, true]);
  });

  test("of another format too", async () => {
    upstreams.google.on("*", (fars.gemini as Far).says(false));
    await ask(chat, "gemini-x", false, `{"model":"gemini-x",${hello},"seed":${seed}}`);
    expect(upstreams.google.requests[0]?.text).toContain(`"seed":${seed}`);
  });

  test.each([
    ["a temperature", '"temperature":1E400'],
    ["a seed", '"seed":1e400'],
    ["a field that nobody knows", '"more":[1E400]'],
  ])("%s that no number can hold is refused", async (_case, field) => {
    const answer = await ask(chat, "gpt-x", false, `{"model":"gpt-x",${hello},${field}}`);
    expect(answer).toContain("The body contains a number that is too large.");
    expect(upstreams.alpha.requests).toEqual([]);
  });

  test("an ordinary field with many decimals is a number", async () => {
    upstreams.alpha.on("*", (fars["openai-chat"] as Far).says(false));
    await ask(chat, "gpt-x", false, `{"model":"gpt-x",${hello},"temperature":0.50000000000000000000001}`);
    expect(upstreams.alpha.requests[0]?.json).toMatchObject({ temperature: 0.5 });
  });
});
