// What a client hears on the wire: reads an answer to its end, sharing no code with the gateway.

export interface ReceivedFrame {
  event?: string;
  /** The data as JSON, or as text where it is none (`[DONE]`). */
  data: unknown;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined for streams and other text. */
  json: unknown;
  frames: ReceivedFrame[];
  comments: string[];
  /** `broken` when the connection failed under the body, or the client left. */
  ending: "whole" | "broken";
}

/** Reads an answer to its end; `onFirst` runs when the first bytes of the body are there. */
export async function transcribe(answer: Response, onFirst?: () => void): Promise<Received> {
  const { text, ending } = await read(answer, onFirst);
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const records = isStream ? text.split(/\r?\n\r?\n/).filter((record) => record.trim() !== "") : [];
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: isStream ? undefined : jsonOr(text, undefined),
    frames: records.filter((record) => !isComment(record)).map(frameOf),
    comments: records.filter(isComment),
    ending,
  };
}

/** JSON of a text, or `other` where it is none. */
export function jsonOr<Other>(text: string, other: Other): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return other;
  }
}

async function read(answer: Response, onFirst?: () => void): Promise<Pick<Received, "text" | "ending">> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of answer.body ?? []) {
      if (text === "") onFirst?.();
      text += decoder.decode(chunk, { stream: true });
    }
    return { text, ending: "whole" };
  } catch {
    return { text, ending: "broken" };
  }
}

function isComment(record: string): boolean {
  return record.split(/\r?\n/).every((line) => line.startsWith(":"));
}

function frameOf(record: string): ReceivedFrame {
  const lines = record.split(/\r?\n/);
  const event = lines.find((line) => line.startsWith("event:"));
  const text = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).replace(/^ /, ""));
  const data = jsonOr(text.join("\n"), text.join("\n"));
  return event === undefined ? { data } : { event: event.slice(6).trim(), data };
}
