// What a client format is for the playground: a path, a body, and what an event of its stream brings.
import type { Chat, Sink } from "./message.ts";

export interface Format {
  readonly title: string;
  readonly path: (chat: Chat) => string;
  readonly body: (chat: Chat) => Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly read: (event: WireEvent, sink: Sink) => void;
}

interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** The members of events of all formats that are read. */
export interface WireEvent {
  readonly type?: string;
  readonly index?: number;
  readonly output_index?: number;
  readonly item?: { readonly type?: string; readonly call_id?: string; readonly name?: string };
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
    };
  }[];
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly {
        readonly text?: string;
        readonly thought?: boolean;
        readonly thoughtSignature?: string;
        readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
      }[];
    };
  }[];
  readonly response?: { readonly error?: { readonly message?: string } | null };
  readonly error?: { readonly message?: string } | null;
}
