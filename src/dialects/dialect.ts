// The contract of a dialect: pure, synchronous functions between one wire language and canon, facing both ways.
import type { TSchema } from "typebox";
import type { Delta } from "../canon/delta.ts";
import type { GatewayError } from "../canon/error.ts";
import type { Answer, Ask, Operation } from "../canon/operation.ts";
import type { SoundFormat } from "../canon/speech.ts";
import type { Usage } from "../canon/usage.ts";
import type { FieldName, Warning } from "../canon/warning.ts";
import type { JsonObject } from "../lib/json.ts";
import type { WrittenPart } from "../lib/multipart-write.ts";
import type { Frame } from "../lib/sse.ts";

/** What a dialect may read of the request besides its body. Header names are asked for in lower case. */
export interface Envelope {
  header(name: string): string | null;
  /** Path parameters of the endpoint, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Files of a form; absent where the body was JSON. */
  readonly files?: readonly UploadedFile[];
}

/** What a dialect must know of the upstream to write a request for it. */
export interface RenderContext {
  /** The upstream's own name for the model. */
  readonly model: string;
  /** Who made the opaque state that may be sent: state of any other origin is left out. */
  readonly origin: string;
  /** Where a canonical field stands on the client's wire, for warnings and refusals. */
  fieldPath(field: FieldName): string;
  /** The model's own bound on output, where the catalog knows it. */
  readonly maxOutputTokens?: number;
  /** To speak: the upstream's own name for the voice that was asked for, where the catalog tells it. */
  readonly voice?: string;
  /** Switches that a provider's file sets for its servers. */
  readonly options?: DialectOptions;
}

/** Deviations of compatible servers that a dialect knows how to serve. */
export interface DialectOptions {
  /** Older servers only know `max_tokens`. */
  readonly legacyMaxTokens?: boolean;
  /** Servers that refuse `stream_options`. */
  readonly noStreamOptions?: boolean;
  /** Servers that give one reply, however many are asked for: each is asked for alone. */
  readonly oneChoice?: boolean;
  /** Servers that have the same models as responses too: what their chat refuses is asked there. */
  readonly responsesBeside?: boolean;
  /** Servers that take tools of free text; for all others a function stands in. */
  readonly customTools?: boolean;
  /** Servers that want visible thinking back beside the calls that it led to, though nothing proves it. */
  readonly replaysThinking?: boolean;
  /** Servers that leave thinking in the text, between `<think>` tags: the provider tells it apart before anybody reads it. */
  readonly splitsThinking?: boolean;
  /** Servers whose models may answer with pictures, or with speech, where `modalities` ask for them. */
  readonly makesImages?: boolean;
  readonly makesSpeech?: boolean;
  /** Servers that keep the conversation themselves, for an account that belongs to one client. */
  readonly nativeState?: boolean;
  /** How servers embed that do not do it as others do. */
  readonly embeddings?: EmbeddingOptions;
  /** What servers rank that rank more than texts: see `DocumentForm` of the ranking dialects. */
  readonly ranks?: "media" | "content" | "any";
}

export interface EmbeddingOptions {
  /** Items of one call, where others take more. */
  readonly mostItems?: number;
  /** They know no token ids. */
  readonly textsOnly?: boolean;
  /** They give vectors as numbers alone. */
  readonly floatsOnly?: boolean;
  /** What vectors are for can be said in another dialect of theirs, and is ignored in this one. */
  readonly purposeElsewhere?: boolean;
}

/** A part of a form: a text, or a file. */
export type FormPart = WrittenPart;

/** A file that came with a request; `field` is the part's name as the client wrote it. */
export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  /** As the client declared it; empty where it did not. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A request as it goes to the upstream. */
export interface Call {
  /** POST where absent. GET and DELETE carry no body. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the provider's base URL, without a leading slash. */
  readonly path: string;
  readonly body: JsonObject;
  /** Sent as multipart/form-data in place of the body. */
  readonly form?: readonly FormPart[];
  /** Sent as they are in place of the body, under this Content-Type. */
  readonly bytes?: { readonly type: string; readonly bytes: Uint8Array };
  /** Beyond content type and authentication. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent once more, to the same server, when the reply to this makes no sense or its words are refused. */
  readonly again?: Call;
}

export interface Rendered {
  readonly call: Call;
  /** What was left out or approximated. What must not be left out is thrown as `unsupported_parameter`. */
  readonly warnings: readonly Warning[];
}

/** What a reader of upstream text must know. */
export interface ReadContext {
  /** Tag for the opaque state in the reply. */
  readonly origin: string;
  /** What was asked, so that names and kinds which the request had to change come back as the client knows them. */
  readonly ask?: Ask;
}

/** What a writer to the client must know. */
export interface WriteContext {
  readonly ask: Ask;
  /** The client's own body, for dialects that echo what was asked. */
  readonly wire: JsonObject;
  /** Used where the upstream gave no id. */
  readonly id: string;
  /** Unix seconds; used where the upstream gave none. */
  readonly createdAt: number;
  /** Estimated input tokens, for dialects that tell them before the upstream does. */
  readonly inputEstimate: number;
}

/** Frames of one upstream stream into deltas. */
export interface StreamReader {
  read(frame: Frame): Delta[];
  /**
   * For the verbatim lane, where nothing is made of a delta but its count: the length of the text in a frame's data when
   * it is surely nothing but more of a text, else -1 and the frame must be read. Reading is always right, skimming is cheap.
   */
  skim?(data: string): number;
  /** The body has ended: a finish when the reply was complete, an error when it was cut. Nothing when already said. */
  end(): Delta[];
}

/** Deltas into frames for one client. After a finish or an error delta it writes nothing more. */
export interface StreamWriter {
  write(delta: Delta): Frame[];
}

/**
 * A stream as one JSON array, for clients that ask for no events: `open` before the first frame's data, `between` before
 * every other, `close` at the end (behind `open` where there was no frame). `heartbeat` is white space.
 */
export interface ArrayForm {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly heartbeat: string;
}

/** A reply that is no JSON. */
export interface Document {
  /** Its Content-Type. */
  readonly type: string;
  readonly text: string;
}

/** Replies that may be no JSON object: told by their Content-Type. */
export interface DocumentSide<R extends Answer> {
  /** Throws `upstream_protocol_error` on anything that is no reply. */
  parse(bytes: Uint8Array, type: string, context: ReadContext): R;
  /** The reply as the client wants it; null where it wants JSON. */
  render(answer: R, context: WriteContext): Document | null;
}

/** The body of a spoken reply into sound, chunk by chunk; `usage` is known at the end, where the upstream tells it. */
export interface SoundReader {
  /** What the sound is, when its first bytes are there. */
  readonly format: SoundFormat;
  /** Throws GatewayError for a body that is no sound. */
  read(chunk: Uint8Array): Uint8Array;
  /** The body has ended. Throws `upstream_protocol_error` when the reply was not complete. */
  end(): { readonly bytes: Uint8Array; readonly usage?: Usage };
}

/** Sound into the body of a reply. */
export interface SoundWriter {
  readonly type: string;
  write(sound: Uint8Array): Uint8Array;
  end(usage: Usage): Uint8Array;
}

/** How a dialect carries sound; it takes the place of `stream` where the operation is to speak. */
export interface SoundSide {
  /** `head` is asked for headers of the upstream's answer. */
  reader(context: ReadContext, head: (name: string) => string | null): SoundReader;
  writer(context: WriteContext, format: SoundFormat): SoundWriter;
}

export interface StreamSide {
  reader(context: ReadContext): StreamReader;
  writer(context: WriteContext): StreamWriter;
  /** Wire text that keeps a silent connection warm; `started` once a frame has been sent. */
  heartbeat(started: boolean): string;
  /** True where an error within a stream must fit what was said before it: the writer words it, not `error.frames`. */
  readonly apologises?: true;
  /** A whole answer as the frames of a stream, for upstreams that cannot stream what this dialect can. */
  whole?(answer: Answer, context: WriteContext): Frame[];
  /** Where clients may have the stream without events. */
  readonly array?: ArrayForm;
}

/** The verbatim lane: client and upstream speak this dialect, so the wire goes through almost untouched. */
export interface VerbatimSide {
  /** The client's own wire as a call: `model` replaced, nothing else lost. */
  call(wire: JsonObject, context: RenderContext, envelope: Envelope): Call;
  /** The wire as several in this order, each with at most `most` items; the wire alone when it has no more. */
  divide?(wire: JsonObject, most: number): readonly JsonObject[];
  /** False for a frame that the gateway asked for by itself and the client must not see. */
  keeps?(frame: Frame, wire: JsonObject): boolean;
  /**
   * What a whole reply has used, told without reading the rest of it; throws `upstream_protocol_error` where it is no
   * reply. Absent: the reply is parsed.
   */
  usage?(reply: JsonObject): Usage | undefined;
  /** A whole reply that needs a repair before the client can read it; the same object when it needs none. */
  mend?(reply: JsonObject, wire: JsonObject, context?: WriteContext): JsonObject;
}

/** Errors as the upstream writes them and as the client reads them. */
export interface ErrorSide {
  /** From an upstream's status and body (parsed JSON, or text). Never carries a credential or host name on. */
  parse(status: number, body: unknown, retryAfterMs?: number): GatewayError;
  render(error: GatewayError, requestId: string): { status: number; body: JsonObject };
  /** The same error inside a stream that has begun. No clean terminator follows. */
  frames(error: GatewayError, requestId: string): Frame[];
}

/**
 * One wire language for one operation. Methods, not function members, so that dialects of different operations fit one
 * table; the corridor never mixes them because an endpoint and its candidates share the operation.
 */
export interface Dialect<A extends Ask = Ask, R extends Answer = Answer> {
  readonly name: string;
  readonly operation: Operation;
  /** A further endpoint of that dialect: whoever speaks it is asked there first, in the verbatim lane. */
  readonly within?: Dialect;
  readonly request: {
    /** Strict in types and bounds, open to unknown fields. */
    readonly schema: TSchema;
    parse(wire: JsonObject, envelope: Envelope): A;
    /**
     * One wire that asks for several independent replies, as wires that each ask for one; absent where that cannot
     * be. The corridor asks them all and numbers the choices in this order.
     */
    split?(wire: JsonObject): readonly JsonObject[];
    render(ask: A, context: RenderContext): Rendered;
    /** True where an upstream of this dialect takes several choices in one request; elsewhere the corridor asks several times. */
    readonly manyChoices?: boolean;
    /** How many items an upstream of this dialect takes in one call; for more, the corridor asks several times. Absent: any number. */
    mostItems?(context: RenderContext): number;
    /** True where an upstream of this dialect takes no addresses of images: the corridor brings what lies behind them. */
    readonly wantsBytes?: boolean;
    /** Which stop texts an upstream of this dialect takes; the corridor watches for the others by itself. Absent: all. */
    readonly stops?: { readonly most: number; takes(sequence: string): boolean };
    /** Where a canonical field stands on this wire. */
    fieldPath(field: FieldName): string;
  };
  readonly response: {
    /** Throws `upstream_protocol_error` on anything that is no reply. */
    parse(wire: unknown, context: ReadContext): R;
    render(answer: R, context: WriteContext): JsonObject;
  };
  readonly documents?: DocumentSide<R>;
  readonly stream?: StreamSide;
  readonly sound?: SoundSide;
  readonly verbatim: VerbatimSide;
  readonly error: ErrorSide;
}
