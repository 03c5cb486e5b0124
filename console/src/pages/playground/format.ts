// What a client format is for the playground: a path, a body, and what an event of its stream brings.
import type { Chat, Output, Sink } from "./message.ts";

export interface Format {
  readonly title: string;
  readonly path: (chat: Chat) => string;
  readonly body: (chat: Chat) => Readonly<Record<string, unknown>>;
  /** What a request can ask for in addition to text; other answers are shown as well. */
  readonly outputs: readonly Output[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly read: (event: WireEvent, sink: Sink) => void;
}

interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface WireError {
  readonly message?: string;
  readonly code?: string | number | null;
}

/** The members of events of all formats that are read. */
export interface WireEvent {
  readonly type?: string;
  readonly index?: number;
  readonly output_index?: number;
  readonly item?: {
    readonly type?: string;
    readonly call_id?: string;
    readonly name?: string;
    /** Base64 of an image. */
    readonly result?: string | null;
    readonly output_format?: string;
  };
  readonly content_block?: { readonly type?: string; readonly id?: string; readonly name?: string };
  readonly delta?:
    | string
    | {
        readonly type?: string;
        readonly text?: string;
        readonly thinking?: string;
        readonly signature?: string;
        readonly partial_json?: string;
      };
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly reasoning?: string | null;
      readonly tool_calls?: readonly CallPiece[];
      readonly images?: readonly { readonly image_url?: { readonly url?: string } }[];
      readonly audio?: { readonly data?: string; readonly transcript?: string };
    };
  }[];
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly {
        readonly text?: string;
        readonly thought?: boolean;
        readonly thoughtSignature?: string;
        readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
        readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
      }[];
    };
  }[];
  readonly response?: { readonly error?: WireError | null };
  readonly error?: WireError | null;
}
