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

export const sizes = { small: 1_024, large: 102_400 } as const;

export type WorkloadName = "json-1k" | "json-100k" | "sse" | "crowd";

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

/** A conversation whose JSON is `bytes` long, in turns of about 2,000 characters. */
function conversation(head: Record<string, unknown>, bytes: number): string {
  const turns = Math.max(1, Math.round(bytes / 2_000));
  const make = (length: number) =>
    JSON.stringify({
      ...head,
      messages: Array.from({ length: turns }, (_, turn) => ({
        role: turn % 2 === 0 ? "user" : "assistant",
        content: text(length),
      })),
    });
  const overhead = make(0).length;
  const fit = (length: number): string => (make(length).length <= bytes ? make(length) : fit(length - 1));
  return fit(Math.floor((bytes - overhead) / turns));
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
