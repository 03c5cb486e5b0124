// Turns as contents: roles, calls with their results, and state in the history.
import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "../../../src/canonical/chat.ts";
import { call, contentsOf, messageOf, rendered, result } from "./bench.ts";

const sentinel = "skip_thought_signature_validator";
const old = "gemini-2.5-flash";
const callPart = (id: string, more: object = {}) => ({
  functionCall: { id, name: "get_time", args: { zone: "UTC" } },
  ...more,
});
const answer = (id: string, output = "noon") => ({ functionResponse: { id, name: "get_time", response: { output } } });
describe("roles and turns", () => {
  test("all system prefixes are kept, in order (bug 24)", () => {
    const ask: Partial<ChatRequest> = {
      system: [{ type: "text", text: "a" }],
      messages: [messageOf("system", "b"), messageOf("user", "hi")],
    };
    expect(rendered(ask).body.systemInstruction).toEqual({ parts: [{ text: "a" }, { text: "b" }] });
  });

  test("a system turn in the middle keeps its place, marked (bug 23)", () => {
    const messages = [
      messageOf("user", "a"),
      messageOf("assistant", "b"),
      messageOf("system", "c"),
      messageOf("user", "d"),
    ];
    expect(contentsOf(messages)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ text: "b" }] },
        { role: "user", parts: [{ text: "<system>\nc\n</system>" }, { text: "d" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  test("the first turn is the user's", () => {
    expect(contentsOf([messageOf("assistant", "a")])).toEqual({
      contents: [
        { role: "user", parts: [{ text: "." }] },
        { role: "model", parts: [{ text: "a" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  test("a participant's name stands before the words", () => {
    const message: Message = { ...messageOf("user", "hi"), name: "Ann" };
    expect(contentsOf([message])).toEqual({
      contents: [{ role: "user", parts: [{ text: "Ann: hi" }] }],
      warnings: ["approximated client.messages"],
    });
  });

  test("empty texts and turns are none (bug 21)", () => {
    expect(contentsOf([messageOf("user", "a"), messageOf("assistant", ""), messageOf("user", "b")]).contents).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    ]);
  });
});

describe("calls and results", () => {
  test("parallel calls are one content, their results another, in call order (bugs 4, 5)", () => {
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", call("c1")),
      messageOf("assistant", call("c2")),
      messageOf("tool", result("c2", "two")),
      messageOf("tool", result("c1", "one")),
      messageOf("user", "and?"),
    ];
    expect(contentsOf(messages)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [callPart("c1", { thoughtSignature: sentinel }), callPart("c2")] },
        { role: "user", parts: [answer("c1", "one"), answer("c2", "two")] },
        { role: "user", parts: [{ text: "and?" }] },
      ],
      warnings: [],
    });
  });

  test("older models know no ids and want no proof", () => {
    const messages = [messageOf("user", "hi"), messageOf("assistant", call("c1")), messageOf("tool", result("c1"))];
    expect(contentsOf(messages, old).contents).toEqual([
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ functionCall: { name: "get_time", args: { zone: "UTC" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "get_time", response: { output: "noon" } } }] },
    ]);
  });

  test("a call without a result gets one (bug 6), a result without a call is told as text (bug 7)", () => {
    const messages = [
      messageOf("tool", result("gone", "late")),
      messageOf("assistant", call("c1")),
      messageOf("user", "go on"),
    ];
    expect(contentsOf(messages)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Result of an earlier tool call (gone):" }, { text: "late" }] },
        { role: "model", parts: [callPart("c1", { thoughtSignature: sentinel })] },
        {
          role: "user",
          parts: [{ functionResponse: { id: "c1", name: "get_time", response: { error: "no result was provided" } } }],
        },
        { role: "user", parts: [{ text: "go on" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  const responses: [string, boolean, object][] = [
    ["noon", false, { output: "noon" }],
    ["", false, { output: "" }],
    ['{"a":1}', false, { a: 1 }],
    ["[1]", false, { output: "[1]" }],
    ["{broken", false, { output: "{broken" }],
    ["no", true, { error: "no" }],
    ['{"code":7}', true, { error: { code: 7 } }],
  ];
  test.each(responses)("result %j, error %p", (text, isError, response) => {
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", call("c1")),
      messageOf("tool", result("c1", text, isError)),
    ];
    expect(contentsOf(messages).contents).toMatchObject([{}, {}, { parts: [{ functionResponse: { response } }] }]);
  });

  test("ids that repeat in later turns keep the names of their own turn", () => {
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", call("1", "a")),
      messageOf("tool", result("1")),
      messageOf("assistant", call("1", "b")),
      messageOf("tool", result("1")),
    ];
    expect(contentsOf(messages).contents).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: "a" } }] },
      {},
      { parts: [{ functionResponse: { name: "b" } }] },
    ]);
  });

  /** Nothing signed the call of a turn that goes on: a constant stands in. */
  const unsigned = "approximated client.reasoning";
  const inputs: [string, object, string[]][] = [
    ["", {}, [unsigned]],
    ["  ", {}, [unsigned]],
    ["5", { value: 5 }, [unsigned]],
    ['{"a":{"b":1', { a: { b: 1 } }, ["approximated client.messages", unsigned]],
    ["nonsense", { _raw_arguments: "nonsense" }, ["approximated client.messages", unsigned]],
  ];
  test.each(inputs)("arguments %j (bugs 13, 14)", (input, args, warnings) => {
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", call("c1", "get_time", input)),
      messageOf("tool", result("c1")),
    ];
    const made = contentsOf(messages);
    expect(made.contents).toMatchObject([{}, { parts: [{ functionCall: { args } }] }, {}]);
    expect(made.warnings).toEqual([...warnings]);
  });

  describe("media in a result (bug 19)", () => {
    const image: Block = { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AAAA" } };
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", call("c1")),
      messageOf("tool", {
        type: "tool-result",
        callId: "c1",
        content: [{ type: "text", text: "see" }, image],
        isError: false,
      }),
    ];
    const part = { inlineData: { mimeType: "image/png", data: "AAAA" } };

    test("newer models hold it in the response", () => {
      expect(contentsOf(messages).contents).toMatchObject([
        {},
        {},
        { parts: [{ functionResponse: { response: { output: "see" }, parts: [part] } }] },
      ]);
    });

    test("for older ones it follows in a content of its own", () => {
      expect(contentsOf(messages, old)).toMatchObject({
        contents: [{}, {}, { parts: [{ functionResponse: { response: { output: "see" } } }] }, { parts: [part] }],
        warnings: ["approximated client.messages"],
      });
    });
  });
});

describe("state in the history", () => {
  const own = (data: string) => ({ origin: "gemini", data });
  const sealed = (data: string, origin = "gemini"): Block => ({
    type: "thinking",
    text: "",
    signature: { origin, data },
    redacted: true,
  });
  const modelParts = (...blocks: (Block | string)[]) => {
    const messages = [messageOf("user", "hi"), messageOf("assistant", ...blocks), messageOf("user", "on")];
    const [, content] = contentsOf(messages).contents as { parts: object[] }[];
    return content?.parts;
  };
  const rows: [string, (Block | string)[], object[]][] = [
    ["on its own call", [{ ...call("c1"), signature: own("S") } as Block], [callPart("c1", { thoughtSignature: "S" })]],
    ["before a call", [sealed("S"), call("c1")], [callPart("c1", { thoughtSignature: "S" })]],
    ["after a text", ["Hi", sealed("S")], [{ text: "Hi", thoughtSignature: "S" }]],
    [
      "between a text and a call: the call needs it",
      ["Hi", sealed("S"), call("c1")],
      [{ text: "Hi" }, callPart("c1", { thoughtSignature: "S" })],
    ],
    [
      "one for each",
      ["Hi", sealed("S"), sealed("T"), call("c1")],
      [{ text: "Hi", thoughtSignature: "S" }, callPart("c1", { thoughtSignature: "T" })],
    ],
    ["before a text", [sealed("S"), "Hi"], [{ text: "Hi", thoughtSignature: "S" }]],
    ["alone", [sealed("S")], [{ text: "", thoughtSignature: "S" }]],
    [
      "with its thought",
      [{ type: "thinking", text: "Hm.", signature: own("S") }, "Hi"],
      [{ text: "Hm.", thought: true, thoughtSignature: "S" }, { text: "Hi" }],
    ],
    ["thought without proof is left out", [{ type: "thinking", text: "Hm." }, "Hi"], [{ text: "Hi" }]],
    ["another maker's is left out (bug 33)", [sealed("S", "anthropic"), "Hi"], [{ text: "Hi" }]],
    [
      "another maker's call gets the stand-in, the first of a set alone (bug 10)",
      [sealed("S", "anthropic"), { ...call("c1"), signature: { origin: "x", data: "S" } } as Block, call("c2")],
      [callPart("c1", { thoughtSignature: sentinel }), callPart("c2")],
    ],
  ];
  test.each(rows)("%s", (_, blocks, parts) => {
    expect(modelParts(...blocks)).toEqual(parts);
  });
});
