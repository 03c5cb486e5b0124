// Turns as messages: order of roles, adjacency of results, what is left out and what is put in.
import { describe, expect, test } from "bun:test";
import type { Block, Message } from "../../../src/canonical/chat.ts";
import { call, messagesOf, refusal, rendered, result, messageOf as turn } from "./bench.ts";

const use = (id: string, name = "get_time", input: object = { zone: "UTC" }) => ({ type: "tool_use", id, name, input });
const back = (tool_use_id: string, content: unknown = "noon") => ({ type: "tool_result", tool_use_id, content });
const text = (words: string) => ({ type: "text", text: words });
const change = ["approximated client.messages"];

/** Turns, and the messages that they become. */
type Row = [string, Message[], unknown[], string[]?];

const rows: Row[] = [
  [
    "parallel results become one message, results first (bug 3)",
    [
      turn("user", "q"),
      turn("assistant", call("a"), call("b")),
      turn("tool", result("a")),
      turn("tool", result("b")),
      turn("user", "go"),
    ],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [back("a"), back("b"), text("go")] },
    ],
  ],
  [
    "results come in the order of the calls",
    [turn("user", "q"), turn("assistant", call("a"), call("b")), turn("tool", result("b"), result("a"))],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [back("a"), back("b")] },
    ],
  ],
  [
    "a call without a result gets an error (bug 6)",
    [turn("user", "q"), turn("assistant", call("a")), turn("user", "never mind")],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [{ ...back("a", "No result was provided."), is_error: true }, text("never mind")] },
    ],
    change,
  ],
  [
    "a result without a call is told as text (bug 7)",
    [turn("user", "q"), turn("tool", result("gone")), turn("user", "and?")],
    [{ role: "user", content: [text("q"), text("[Result of the tool call gone]"), text("noon"), text("and?")] }],
    change,
  ],
  [
    "of two results for one call the later counts",
    [turn("user", "q"), turn("assistant", call("a")), turn("tool", result("a", "old"), result("a", "new"))],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [back("a", "new")] },
    ],
    change,
  ],
  [
    "ids are cleaned alike for call and result (bug 9)",
    [turn("user", "q"), turn("assistant", call("fn:1.2")), turn("tool", result("fn:1.2"))],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use(expect.stringMatching(/^fn_1_2_[0-9a-f]{8}$/) as never)] },
      { role: "user", content: [back(expect.stringMatching(/^fn_1_2_[0-9a-f]{8}$/) as never)] },
    ],
  ],
  [
    "neighbours of one role are merged",
    [turn("user", "a"), turn("user", "b"), turn("assistant", "c"), turn("assistant", "d"), turn("user", "e")],
    [
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), text("d")] },
      { role: "user", content: "e" },
    ],
  ],
  [
    "an assistant who begins gets somebody to answer",
    [turn("assistant", "Welcome."), turn("user", "hi")],
    [
      { role: "user", content: "." },
      { role: "assistant", content: "Welcome." },
      { role: "user", content: "hi" },
    ],
    change,
  ],
  [
    "white space at the end of a prefill goes (bug 25)",
    [turn("user", "q"), turn("assistant", " The answer is \n")],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: " The answer is" },
    ],
  ],
  [
    "blank text goes (bug 21)",
    [turn("user", "", " \n", "q"), turn("assistant", "", call("a")), turn("tool", result("a", ""))],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
    ],
  ],
  [
    "a turn that would vanish between two others keeps its place",
    [turn("user", "q"), turn("assistant", "a"), turn("user", ""), turn("assistant", "b"), turn("user", "c")],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: "a" },
      { role: "user", content: "." },
      { role: "assistant", content: "b" },
      { role: "user", content: "c" },
    ],
    change,
  ],
  [
    "an assistant turn that vanishes lets its neighbours meet",
    [turn("user", "q"), turn("assistant", ""), turn("user", "c")],
    [{ role: "user", content: [text("q"), text("c")] }],
  ],
  [
    "text after a call moves before it",
    [turn("user", "q"), turn("assistant", call("a"), "late"), turn("tool", result("a"))],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [text("late"), use("a")] },
      { role: "user", content: [back("a")] },
    ],
  ],
  [
    "a refusal of the past is text",
    [turn("user", "q"), turn("assistant", { type: "refusal", text: "No." }), turn("user", "why")],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: "No." },
      { role: "user", content: "why" },
    ],
  ],
  [
    "a name stands before the words",
    [{ ...turn("user", "hi"), name: "Ann" }],
    [{ role: "user", content: "Ann: hi" }],
    change,
  ],
  [
    "a system turn is marked where the model has no such role, behind the results (bug 23)",
    [
      turn("user", "q"),
      turn("assistant", call("a")),
      turn("system", "hurry"),
      turn("tool", result("a")),
      turn("user", "go"),
    ],
    [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [back("a"), text("<system>\nhurry\n</system>"), text("go")] },
    ],
    change,
  ],
];

test.each(rows)("%s", (_, turns, messages, warnings = []) => {
  expect(messagesOf(turns)).toEqual({ messages, warnings } as never);
});

test("a system turn is a message of its own where the model knows the role", () => {
  const messages = [
    turn("user", "q"),
    turn("assistant", call("a")),
    turn("system", "hurry"),
    turn("tool", result("a")),
  ];
  expect(messagesOf(messages, { model: "claude-opus-4-8" })).toEqual({
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [back("a")] },
      { role: "system", content: "hurry" },
    ],
    warnings: [],
  } as never);
});

test("leading system turns join the prefix", () => {
  const { body } = rendered({
    system: [{ type: "text", text: "a" }],
    messages: [turn("system", "b"), turn("user", "q")],
  });
  expect(body["system"]).toEqual([text("a"), text("b")]);
  expect(body["messages"]).toEqual([{ role: "user", content: "q" }]);
});

test("a prefill is refused by models that refuse it", () => {
  const messages = [turn("user", "q"), turn("assistant", "The")];
  expect(refusal(() => messagesOf(messages, { model: "claude-opus-4-6" }))).toMatchObject({
    kind: "unsupported_parameter",
    param: "client.messages",
  });
});

/** Arguments of a call in the history, the object they become, and whether that is said (bugs 13, 14). */
const inputs: [string, object, boolean][] = [
  ['{"a":1}', { a: 1 }, true],
  ["", {}, true],
  ["  ", {}, true],
  ["[1]", { value: [1] }, true],
  ['"x"', { value: "x" }, true],
  ['{"a":[1,{"b":"cut', { a: [1, { b: "cut" }] }, false],
  ['{"a":"say \\"hi', { a: 'say "hi' }, false],
  ["{'a': 1}", { _raw_arguments: "{'a': 1}" }, false],
];

test.each(inputs)("arguments %j", (input, expected, exact) => {
  const turns = [turn("user", "q"), turn("assistant", call("a", "f", input)), turn("tool", result("a"))];
  const { messages, warnings } = messagesOf(turns);
  expect((messages as { content: unknown }[])[1]?.content).toEqual([use("a", "f", expected)]);
  expect(warnings).toEqual(exact ? [] : change);
});

test("free text of the past is wrapped as the function takes it", () => {
  const custom: Block = { type: "tool-call", id: "a", name: "patch", kind: "custom", input: "*** Begin" };
  const { messages } = messagesOf([turn("user", "q"), turn("assistant", custom), turn("tool", result("a"))]);
  expect((messages as { content: unknown }[])[1]?.content).toEqual([use("a", "patch", { input: "*** Begin" })]);
});

test("results: errors, pictures and documents (bug 19)", () => {
  const picture = { kind: "bytes", mediaType: "image/png", base64: "iVBORw0KGgo=" } as const;
  const content = [
    { type: "text", text: "see" },
    { type: "image", source: picture },
  ] as const;
  const turns = [
    turn("user", "q"),
    turn("assistant", call("a"), call("b")),
    turn("tool", { type: "tool-result", callId: "a", content, isError: false }, result("b", "", true)),
  ];
  const { messages } = messagesOf(turns);
  expect((messages as { content: unknown }[])[2]?.content).toEqual([
    back("a", [
      text("see"),
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    ]),
    { ...back("b", "error"), is_error: true },
  ]);
});

describe("thinking", () => {
  const thought = (origin: string, text = "hm"): Block => ({
    type: "thinking",
    text,
    signature: { origin, data: "sig" },
  });
  const contentOf = (...blocks: Block[]) => {
    const { messages } = messagesOf([
      turn("user", "q"),
      turn("assistant", ...blocks, { type: "text", text: "a" }),
      turn("user", "c"),
    ]);
    return (messages as { content: unknown }[])[1]?.content;
  };

  test("own signatures go back untouched and in place, also without text (bugs 31, 32)", () => {
    expect(contentOf(thought("anthropic", ""), { type: "text", text: "x" }, thought("anthropic"))).toEqual([
      { type: "thinking", thinking: "", signature: "sig" },
      text("x"),
      { type: "thinking", thinking: "hm", signature: "sig" },
      text("a"),
    ]);
    expect(contentOf({ ...thought("anthropic", ""), redacted: true } as Block)).toEqual([
      { type: "redacted_thinking", data: "sig" },
      text("a"),
    ]);
  });

  test("foreign and unsigned thought goes with its block (bug 33)", () => {
    expect(contentOf(thought("openai"), { type: "thinking", text: "hm" })).toBe("a");
  });
});
