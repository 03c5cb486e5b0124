// The dialogue that every strict upstream plays: two parallel calls, one more call, a text of many scripts, a last answer.

export interface ScriptedCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  /** What the tool returns. */
  readonly result: string;
}

export interface ScriptedTurn {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

/** Characters of one to four bytes, one of several code points, and a combining mark. */
const manyScripts = "Zürich: 12 °C — 雨 ☔, später 🏔️ and 👩‍👩‍👧, e\u0301t\u0327é. Ωμέγα.";

export const turns: readonly [ScriptedTurn, ScriptedTurn, ScriptedTurn, ScriptedTurn] = [
  {
    thinking: "Both the time and the day are needed — 二つ。",
    text: "Let me check.",
    calls: [
      { name: "get_time", input: { zone: "Europe/Zürich", format: "24h 🕛" }, result: "12:00" },
      { name: "get_day", input: {}, result: "Monday" },
    ],
  },
  {
    thinking: "The weather is missing.",
    text: "",
    calls: [{ name: "get_weather", input: { place: "Zürich 🏔️", days: [1, 2] }, result: "rain, 12 °C ☔" }],
  },
  { thinking: "Everything is known.", text: manyScripts, calls: [] },
  { thinking: "A short answer will do.", text: "Gern geschehen. 终", calls: [] },
];

export const question = "What are the time, the day and the weather in Zürich?";
export const followUp = "Thanks. Anything else?";
export const system = "Be brief.";

/** The tools as JSON Schema; the second one takes nothing. */
export const tools = [
  {
    name: "get_time",
    description: "The time in a zone.",
    schema: {
      type: "object",
      properties: { zone: { type: "string" }, format: { type: "string" } },
      required: ["zone"],
      additionalProperties: false,
    },
  },
  { name: "get_day", description: "The day of the week.", schema: { type: "object", properties: {} } },
  {
    name: "get_weather",
    description: "The weather at a place.",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        place: { type: "string", minLength: 1 },
        days: { type: "array", items: { type: "integer", minimum: 1 } },
        unit: { type: ["string", "null"], enum: ["celsius", "fahrenheit", null] },
        mode: { const: "daily" },
      },
      required: ["place"],
      additionalProperties: false,
    },
  },
] as const;
