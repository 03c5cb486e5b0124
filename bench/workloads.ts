// The table of what is sent, and what must come back.

export const chatPath = "/v1/chat/completions";

/** Frames of one stream, the terminator `[DONE]` among them. */
export const eventsPerStream = 100;

/** The upstream tells by the model's name which answer is wanted. */
export const models = { json: "bench-json", events: "bench-events", crowd: "bench-crowd" } as const;

/** Time between two events of one stream; the crowd is slower, so that 1,000 streams fit on two cores. */
export const paceMs: Record<string, number> = { [models.events]: 2, [models.crowd]: 50 };

/** A request above this size is answered with the large body. */
export const largeFromBytes = 50_000;

export const sizes = { small: 1_024, large: 102_400, huge: 1_048_576 } as const;

/** Those that are measured in turn, in the order of the report. */
export const timedWorkloads = ["json-1k", "json-100k", "agent-100k", "json-1m", "sse"] as const;

export type WorkloadName = (typeof timedWorkloads)[number] | "crowd";

export type Workload = {
  title: string;
  /** The request body, encoded once. */
  body: string;
  /** Events that a complete answer holds, `undefined` for a JSON answer. */
  events?: number;
};

const sentence = 'The toll is taken once, at the gate, and the road goes on to "every" town.\nThen it rains. ';

/** Text of exactly `length` characters. */
export function text(length: number): string {
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}

/** The JSON of what `make` gives for texts of one length, `texts` of them, as long as fits into `bytes`. */
function fitted(make: (length: number) => unknown, texts: number, bytes: number): string {
  const written = (length: number): string => JSON.stringify(make(length));
  const fit = (length: number): string => (written(length).length <= bytes ? written(length) : fit(length - 1));
  return fit(Math.floor((bytes - written(0).length) / texts));
}

/** A conversation whose JSON is `bytes` long, in messages of about 2,000 characters. */
function conversation(head: Record<string, unknown>, bytes: number): string {
  const messages = Math.max(1, Math.round(bytes / 2_000));
  const message = (index: number, length: number) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: text(length),
  });
  const make = (length: number) => ({
    ...head,
    messages: Array.from({ length: messages }, (_, index) => message(index, length)),
  });
  return fitted(make, messages, bytes);
}

const agentMessages = 40;
const agentTools = 20;

function tool(index: number, length: number) {
  const property = (name: string) => [name, { type: "string", description: text(length >> 3) }];
  const properties = Object.fromEntries(["path", "pattern", "content", "reason"].map(property));
  const parameters = { type: "object", properties, required: ["path"], additionalProperties: false };
  return { type: "function", function: { name: `tool_${index}`, description: text(length >> 1), parameters } };
}

/** One step of an agent's loop: an instruction, a question, calls and their results. */
function agentMessage(index: number, length: number) {
  if (index < 2) return { role: index === 0 ? "system" : "user", content: text(length) };
  if (index % 2 === 1) return { role: "tool", tool_call_id: `call_${index - 1}`, content: text(length) };
  const call = { name: "tool_1", arguments: JSON.stringify({ path: "a.ts", content: text(length >> 1) }) };
  const calls = [{ id: `call_${index}`, type: "function", function: call }];
  return { role: "assistant", content: text(length >> 2), tool_calls: calls };
}

/** A request of an agent, `bytes` long. */
function agentRequest(model: string, bytes: number): string {
  const make = (length: number) => ({
    model,
    messages: Array.from({ length: agentMessages }, (_, index) => agentMessage(index, length)),
    tools: Array.from({ length: agentTools }, (_, index) => tool(index, length)),
  });
  return fitted(make, agentMessages, bytes);
}

const streaming = { stream: true, stream_options: { include_usage: true } };

export const workloads: Record<WorkloadName, Workload> = {
  "json-1k": {
    title: "JSON, 1 KB asked, 1 KB answered",
    body: conversation({ model: models.json }, sizes.small),
  },
  "json-100k": {
    title: "JSON, 100 KB asked, 100 KB answered",
    body: conversation({ model: models.json }, sizes.large),
  },
  "agent-100k": {
    title: `JSON, 100 KB asked in ${agentMessages} messages and ${agentTools} tools, 100 KB answered`,
    body: agentRequest(models.json, sizes.large),
  },
  "json-1m": {
    title: "JSON, 1 MB asked, 100 KB answered",
    body: conversation({ model: models.json }, sizes.huge),
  },
  sse: {
    title: `SSE, ${eventsPerStream} events, one write every ${paceMs[models.events]} ms`,
    body: conversation({ model: models.events, ...streaming }, sizes.small),
    events: eventsPerStream,
  },
  crowd: {
    title: `SSE, many streams at once, one event every ${paceMs[models.crowd]} ms`,
    body: conversation({ model: models.crowd, ...streaming }, sizes.small),
    events: eventsPerStream,
  },
};
