// The stream alphabet: every event a reply can be made of, its grammar, and the way between a stream and a whole.
import type {
  Block,
  ChatAnswer,
  Choice,
  Citation,
  MediaSource,
  Stop,
  TextBlock,
  TokenLogprob,
  ToolCallBlock,
} from "./chat.ts";
import type { GatewayError } from "./error.ts";
import type { Opaque } from "./provider-state.ts";
import type { Usage } from "./usage.ts";

/** What a block is, known when it opens. `block` numbers rise by one within a choice; several may be open at once. */
export type OpenBlock =
  | { readonly kind: "text" }
  | { readonly kind: "refusal" }
  | { readonly kind: "thinking"; readonly redacted?: boolean }
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly tool: "function" | "custom";
      /** Where it is known this early, for wires that must tell it before the call; the close says it again. */
      readonly signature?: Opaque;
    }
  | { readonly kind: "audio" | "image"; readonly mediaType: string };

interface InBlock {
  readonly choice: number;
  readonly block: number;
}

export type Delta =
  | {
      readonly type: "start";
      readonly id: string;
      readonly model: string;
      readonly createdAt?: number;
      readonly usage?: Usage;
    }
  | (InBlock & { readonly type: "block-open"; readonly open: OpenBlock })
  | (InBlock & { readonly type: "text"; readonly text: string; readonly logprobs?: readonly TokenLogprob[] })
  | (InBlock & { readonly type: "thinking"; readonly text: string })
  | (InBlock & { readonly type: "tool-input"; readonly text: string })
  | (InBlock & { readonly type: "media"; readonly base64: string })
  | (InBlock & {
      readonly type: "block-close";
      readonly signature?: Opaque;
      readonly citations?: readonly Citation[];
    })
  | { readonly type: "finish"; readonly stops: readonly Stop[]; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: GatewayError };

interface Growing {
  open: OpenBlock;
  text: string;
  closed: boolean;
  signature?: Opaque;
  citations?: readonly Citation[];
  logprobs?: TokenLogprob[];
}

function finished(growing: Growing): Block {
  const { open, text, signature, citations, logprobs } = growing;
  switch (open.kind) {
    case "text":
      return { type: "text", text, ...(logprobs ? { logprobs } : {}), ...(citations?.length ? { citations } : {}) };
    case "refusal":
      return { type: "refusal", text };
    case "thinking":
      return {
        type: "thinking",
        text,
        ...(signature ? { signature } : {}),
        ...(open.redacted ? { redacted: true } : {}),
      };
    case "tool-call": {
      const call = { type: "tool-call", id: open.id, name: open.name, kind: open.tool, input: text } as const;
      return signature ? ({ ...call, signature } satisfies ToolCallBlock) : call;
    }
    case "audio":
    case "image":
      return { type: open.kind, source: { kind: "bytes", mediaType: open.mediaType, base64: text } };
  }
}

function grow(growing: Growing, delta: Extract<Delta, { text: string }>): void {
  growing.text += delta.text;
  if (delta.type === "text" && delta.logprobs) growing.logprobs = [...(growing.logprobs ?? []), ...delta.logprobs];
}

/** Gathers a stream into the whole reply. Throws the stream's own error; a stream without a finish has no reply. */
export function collector(): { add(delta: Delta): void; answer(): ChatAnswer | null } {
  let start: Extract<Delta, { type: "start" }> | null = null;
  let finish: Extract<Delta, { type: "finish" }> | null = null;
  const choices: Growing[][] = [];
  const at = (delta: InBlock): Growing | undefined => choices[delta.choice]?.[delta.block];
  return {
    add(delta) {
      switch (delta.type) {
        case "start":
          start = delta;
          return;
        case "block-open":
          choices[delta.choice] ??= [];
          choices[delta.choice]?.splice(delta.block, 0, { open: delta.open, text: "", closed: false });
          return;
        case "text":
        case "thinking":
        case "tool-input": {
          const growing = at(delta);
          if (growing) grow(growing, delta);
          return;
        }
        case "media": {
          const growing = at(delta);
          if (growing) growing.text += delta.base64;
          return;
        }
        case "block-close": {
          const growing = at(delta);
          if (growing) Object.assign(growing, { closed: true, signature: delta.signature, citations: delta.citations });
          return;
        }
        case "finish":
          finish = delta;
          return;
        case "error":
          throw delta.error;
      }
    },
    answer() {
      if (start === null || finish === null) return null;
      const whole: Choice[] = finish.stops.map((stop, index) => ({
        index,
        blocks: (choices[index] ?? []).map(finished),
        stop,
      }));
      const usage = finish.usage ?? start.usage;
      return {
        operation: "chat",
        id: start.id,
        model: start.model,
        ...(start.createdAt === undefined ? {} : { createdAt: start.createdAt }),
        choices: whole,
        ...(usage ? { usage } : {}),
      };
    },
  };
}

/** Gathers a finished list of deltas. */
export function collect(deltas: Iterable<Delta>): ChatAnswer | null {
  const gathering = collector();
  for (const delta of deltas) gathering.add(delta);
  return gathering.answer();
}

function opening(block: Block): { open: OpenBlock; body: (at: InBlock) => Delta } | null {
  switch (block.type) {
    case "text":
      return { open: { kind: "text" }, body: (at) => ({ type: "text", ...at, text: block.text, ...told(block) }) };
    case "refusal":
      return { open: { kind: "refusal" }, body: (at) => ({ type: "text", ...at, text: block.text }) };
    case "thinking":
      return {
        open: block.redacted ? { kind: "thinking", redacted: true } : { kind: "thinking" },
        body: (at) => ({ type: "thinking", ...at, text: block.text }),
      };
    case "tool-call":
      return {
        open: {
          kind: "tool-call",
          id: block.id,
          name: block.name,
          tool: block.kind,
          ...(block.signature ? { signature: block.signature } : {}),
        },
        body: (at) => ({ type: "tool-input", ...at, text: block.input }),
      };
    case "audio":
    case "image":
      return media(block.type, block.source);
    default:
      return null;
  }
}

const told = ({ logprobs }: TextBlock) => (logprobs ? { logprobs } : {});

function media(kind: "audio" | "image", source: MediaSource): { open: OpenBlock; body: (at: InBlock) => Delta } | null {
  if (source.kind !== "bytes") return null;
  const { mediaType, base64 } = source;
  return { open: { kind, mediaType }, body: (at) => ({ type: "media", ...at, base64 }) };
}

/** The stream that a whole reply would have been, one body delta for each block. */
export function* replay(answer: ChatAnswer): Generator<Delta> {
  yield {
    type: "start",
    id: answer.id,
    model: answer.model,
    ...(answer.createdAt === undefined ? {} : { createdAt: answer.createdAt }),
  };
  for (const choice of answer.choices) {
    let number = 0;
    for (const block of choice.blocks) {
      const opened = opening(block);
      if (opened === null) continue;
      const at = { choice: choice.index, block: number++ };
      yield { type: "block-open", ...at, open: opened.open };
      const body = opened.body(at);
      if (!("text" in body) || body.text !== "") yield body;
      const signature = "signature" in block ? block.signature : undefined;
      const citations = block.type === "text" ? block.citations : undefined;
      yield { type: "block-close", ...at, ...(signature ? { signature } : {}), ...(citations ? { citations } : {}) };
    }
  }
  yield {
    type: "finish",
    stops: answer.choices.map((choice) => choice.stop),
    ...(answer.usage ? { usage: answer.usage } : {}),
  };
}
