// A conversation as the playground holds it, in any client format.

export type Part =
  | { readonly kind: "text"; readonly text: string }
  /** A data URL or an address. */
  | { readonly kind: "image"; readonly url: string }
  /** Pieces of Base64, each complete in itself. */
  | { readonly kind: "audio"; readonly type: string; readonly data: readonly string[] }
  /** `proof` is what the provider signed it with, and wants back. */
  | { readonly kind: "thinking"; readonly text: string; readonly proof?: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly args: string;
      readonly proof?: string;
    }
  | { readonly kind: "result"; readonly id: string; readonly name: string; readonly text: string };

export interface Message {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type Effort = "" | "low" | "medium" | "high";

/** What the answer may consist of in addition to text. */
export type Output = "" | "image" | "audio";

export interface Chat {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly effort: Effort;
  readonly output: Output;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

/** An answer as the next request repeats it: without the images and the audio, which only some formats take back. */
export const withoutMedia = (message: Message): Message =>
  message.role === "user"
    ? message
    : { ...message, parts: message.parts.filter(({ kind }) => kind !== "image" && kind !== "audio") };

export const textOf = ({ parts }: Message): string =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");

/** The calls at the end of the conversation that have no result. */
export function openCalls(messages: readonly Message[]): readonly Extract<Part, { kind: "call" }>[] {
  const last = messages.at(-1);
  return last?.role === "assistant" ? last.parts.filter((part) => part.kind === "call") : [];
}

/** Collects the parts of a stream. */
export interface Sink {
  text(piece: string): void;
  thinking(piece: string, proof?: string): void;
  image(url: string): void;
  audio(type: string, base64: string): void;
  /** `key` is the same for all pieces of a call. */
  call(
    key: string,
    piece: { readonly id?: string; readonly name?: string; readonly args?: string; readonly proof?: string },
  ): void;
}

export interface Draft extends Sink {
  parts(): readonly Part[];
}

export function createDraft(changed: () => void): Draft {
  const parts: Part[] = [];
  const places = new Map<string, number>();
  const append = (kind: "text" | "thinking", piece: string, proof?: string): void => {
    const last = parts.at(-1);
    const before = last?.kind === kind ? last.text : "";
    const part = { kind, text: before + piece, ...(proof === undefined ? {} : { proof }) } as Part;
    if (last?.kind === kind) parts[parts.length - 1] = part;
    else parts.push(part);
    changed();
  };
  return {
    text: (piece) => piece !== "" && append("text", piece),
    thinking: (piece, proof) => (piece !== "" || proof !== undefined) && append("thinking", piece, proof),
    image(url) {
      parts.push({ kind: "image", url });
      changed();
    },
    audio(type, base64) {
      // Its transcript may come between its pieces.
      const at = parts.findLastIndex((part) => part.kind === "audio" && part.type === type);
      const before = parts[at];
      if (before?.kind === "audio") parts[at] = { ...before, data: [...before.data, base64] };
      else parts.push({ kind: "audio", type, data: [base64] });
      changed();
    },
    call(key, { id, name, args = "", proof }) {
      const at = places.get(key) ?? parts.length;
      const before = parts[at];
      const old = before?.kind === "call" ? before : { kind: "call" as const, id: "", name: "", args: "" };
      places.set(key, at);
      parts[at] = {
        ...old,
        ...{ id: id ?? old.id, name: name ?? old.name, args: old.args + args },
        ...(proof === undefined ? {} : { proof }),
      };
      changed();
    },
    parts: () => [...parts],
  };
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return {};
  }
};
