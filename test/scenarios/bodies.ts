// Request bodies that several scenarios share.

export const clockTool = {
  type: "function",
  function: {
    name: "get_time",
    description: "The time in a zone.",
    parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
  },
};

export const claudeClockTool = {
  name: "get_time",
  description: "The time in a zone.",
  input_schema: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
};

/** A whole round in chat words: system, two parallel calls, their results. */
export const chatRound = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What time and day is it?" },
  {
    role: "assistant",
    content: "Let me check.",
    tool_calls: [
      { id: "call_a", type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } },
      { id: "call_b", type: "function", function: { name: "get_day", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "call_a", content: "12:00" },
  { role: "tool", tool_call_id: "call_b", content: "Monday" },
];

/** The same round in messages words, without its system text. */
export const messagesRound = [
  { role: "user", content: "What time and day is it?" },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Let me check." },
      { type: "tool_use", id: "call_a", name: "get_time", input: { zone: "UTC" } },
      { type: "tool_use", id: "call_b", name: "get_day", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "call_a", content: "12:00" },
      { type: "tool_result", tool_use_id: "call_b", content: "Monday" },
    ],
  },
];

/** One transparent pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const answerSchema = {
  type: "object",
  properties: { hour: { type: "integer" } },
  required: ["hour"],
  additionalProperties: false,
};
