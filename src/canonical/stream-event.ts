// Stream events: everything a reply can consist of, and the conversion between a stream and a complete reply.
import type {
  Block,
  ChatResponse,
  Choice,
  Citation,
  FinishReason,
  MediaSource,
  TextBlock,
  TokenLogprob,
  ToolCallBlock,
} from "./chat.ts";
import type { GatewayError } from "./error.ts";
import type { ProviderState } from "./provider-state.ts";
import type { Usage } from "./usage.ts";

/**
 * The type of a block, known when it opens. `block` numbers rise by one within a choice; several may be open at once.
 */
export type OpenBlock =
  | { readonly kind: "text" }
  | { readonly kind: "refusal" }
  | { readonly kind: "thinking"; readonly redacted?: boolean }
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly tool: "function" | "custom";
      /** Present if known this early, for wires that write it before the call; the end of the block repeats it. */
      readonly signature?: ProviderState;
    }
  | { readonly kind: "audio" | "image"; readonly mediaType: string };

interface InBlock {
  readonly choice: number;
  readonly block: number;
}

export type StreamEvent =
  | {
      readonly type: "start";
      readonly id: string;
      readonly model: string;
      readonly createdAt?: number;
      readonly usage?: Usage;
    }
  | (InBlock & { readonly type: "block-start"; readonly open: OpenBlock })
  | (InBlock & { readonly type: "text"; readonly text: string; readonly logprobs?: readonly TokenLogprob[] })
  | (InBlock & { readonly type: "thinking"; readonly text: string })
  | (InBlock & { readonly type: "tool-input"; readonly text: string })
  | (InBlock & { readonly type: "media"; readonly base64: string })
  | (InBlock & {
      readonly type: "block-end";
      readonly signature?: ProviderState;
      readonly citations?: readonly Citation[];
    })
  | { readonly type: "finish"; readonly finishReasons: readonly FinishReason[]; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: GatewayError };

interface Growing {
  open: OpenBlock;
  text: string;
  closed: boolean;
  signature?: ProviderState;
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

function grow(growing: Growing, delta: Extract<StreamEvent, { text: string }>): void {
  growing.text += delta.text;
  if (delta.type === "text" && delta.logprobs) growing.logprobs = [...(growing.logprobs ?? []), ...delta.logprobs];
}

/**
 * Collects a stream into the complete reply. Throws the stream's own error; a stream without a finish event has no
 * reply.
 */
function eventCollector(): { add(event: StreamEvent): void; answer(): ChatResponse | null } {
  let start: Extract<StreamEvent, { type: "start" }> | null = null;
  let finish: Extract<StreamEvent, { type: "finish" }> | null = null;
  const choices: Growing[][] = [];
  const at = (delta: InBlock): Growing | undefined => choices[delta.choice]?.[delta.block];
  return {
    add(event) {
      switch (event.type) {
        case "start":
          start = event;
          return;
        case "block-start":
          choices[event.choice] ??= [];
          choices[event.choice]?.splice(event.block, 0, { open: event.open, text: "", closed: false });
          return;
        case "text":
        case "thinking":
        case "tool-input": {
          const growing = at(event);
          if (growing) grow(growing, event);
          return;
        }
        case "media": {
          const growing = at(event);
          if (growing) growing.text += event.base64;
          return;
        }
        case "block-end": {
          const growing = at(event);
          if (growing) Object.assign(growing, { closed: true, signature: event.signature, citations: event.citations });
          return;
        }
        case "finish":
          finish = event;
          return;
        case "error":
          throw event.error;
      }
    },
    answer() {
      if (start === null || finish === null) return null;
      const whole: Choice[] = finish.finishReasons.map((finishReason, index) => ({
        index,
        blocks: (choices[index] ?? []).map(finished),
        finishReason,
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

/** Collects a complete list of events. */
export function collectEvents(events: Iterable<StreamEvent>): ChatResponse | null {
  const gathering = eventCollector();
  for (const event of events) gathering.add(event);
  return gathering.answer();
}

function opening(block: Block): { open: OpenBlock; body: (at: InBlock) => StreamEvent } | null {
  switch (block.type) {
    case "text":
      return {
        open: { kind: "text" },
        body: (at) => ({ type: "text", ...at, text: block.text, ...logprobsOf(block) }),
      };
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

const logprobsOf = ({ logprobs }: TextBlock) => (logprobs ? { logprobs } : {});

function media(
  kind: "audio" | "image",
  source: MediaSource,
): { open: OpenBlock; body: (at: InBlock) => StreamEvent } | null {
  if (source.kind !== "bytes") return null;
  const { mediaType, base64 } = source;
  return { open: { kind, mediaType }, body: (at) => ({ type: "media", ...at, base64 }) };
}

/** The events of a complete reply, with one content event per block. */
export function* streamEventsOf(response: ChatResponse): Generator<StreamEvent> {
  yield {
    type: "start",
    id: response.id,
    model: response.model,
    ...(response.createdAt === undefined ? {} : { createdAt: response.createdAt }),
  };
  for (const choice of response.choices) {
    let number = 0;
    for (const block of choice.blocks) {
      const opened = opening(block);
      if (opened === null) continue;
      const at = { choice: choice.index, block: number++ };
      yield { type: "block-start", ...at, open: opened.open };
      const body = opened.body(at);
      if (!("text" in body) || body.text !== "") yield body;
      const signature = "signature" in block ? block.signature : undefined;
      const citations = block.type === "text" ? block.citations : undefined;
      yield { type: "block-end", ...at, ...(signature ? { signature } : {}), ...(citations ? { citations } : {}) };
    }
  }
  yield {
    type: "finish",
    finishReasons: response.choices.map((choice) => choice.finishReason),
    ...(response.usage ? { usage: response.usage } : {}),
  };
}
