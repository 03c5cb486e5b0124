// The contract of a provider: what its kind has in common, its entry in the configuration, how it answers, what it lists.
import type { Operation, OperationRequest, OperationResponse } from "../canonical/operation.ts";
import type { AudioFormat, ListedVoice } from "../canonical/speech.ts";
import type { StreamEvent } from "../canonical/stream-event.ts";
import type { Usage } from "../canonical/usage.ts";
import type { Warning } from "../canonical/warning.ts";
import type { CompatibilityFlags, RenderContext, UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import type { RequestOutline } from "../dialects/request-outline.ts";
import type { DeclaredModel, ModelQuery } from "../dialects/shared/model-table.ts";
import type { VideoUpstream } from "../dialects/video/upstream.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Account, AccountAccess, AccountEntry, AccountRules, SignerFactory } from "./credentials.ts";
import type { ListedModel } from "./model-list.ts";
import type { Redactor } from "./redaction.ts";
import type { RequestQuirks } from "./request-quirks.ts";
import type { TaskPolling } from "./task-polling.ts";

export type { ListedModel };

import type { Secret } from "../lib/secret.ts";

/** A kind of provider: what is the same for all accounts there. */
export interface ProviderKind {
  readonly name: string;
  /** In order of preference; one per operation is enough. None for a provider inside the process. */
  readonly dialects: readonly UpstreamDialect[];
  /** The wires on which it makes videos, best first; the first that serves a model is used for it. */
  readonly videos?: readonly VideoUpstream[];
  /** False where this model is not served in this dialect, so that another one is used. Absent: each in all of them. */
  supports?(dialect: UpstreamDialect, model: string): boolean;
  /** The dialect that is best for this model; `client` is the client's own. Absent: the first that serves it. */
  prefers?(request: RequestOutline, query: ModelQuery, client: UpstreamDialect): UpstreamDialect | undefined;
  /** The models that answer where a client may leave the model out. */
  readonly defaultModels?: { readonly [operation in Operation]?: string };
  /** The models that answer such requests where no other provider is configured. */
  readonly fallbackModels?: { readonly [operation in Operation]?: string };
  /** Tag of the opaque state that this kind makes and can read again. */
  readonly origin: string;
  /** As `origin`, where models of several makers are served, which cannot read each other's state. */
  originOf?(model: string): string;
  /** Schemes of its own storage that addresses of media may have in addition to http and https, as `gs:`. */
  readonly mediaSchemes?: readonly string[];
  readonly options?: CompatibilityFlags;
}

/** A kind behind HTTP: in addition where its accounts are reached, and how. */
export interface HttpKind extends ProviderKind, RequestQuirks {
  /** The base URL of the provider's own SDK; absent where there is none. */
  readonly baseUrl?: string;
  /** Variables whose presence configures a provider of this kind. */
  readonly environment?: { readonly credential?: string; readonly baseUrl: string };
  /** How tasks are followed, where a dialect answers with one. */
  readonly polling?: readonly TaskPolling[];
  /** How requests are signed. */
  readonly signer: SignerFactory;
  /** What differs in the calls of an account. */
  access?(entry: AccountEntry): AccountAccess;
  /** Where the models are listed, below the base URL, and how the list reads. */
  readonly listing?: { readonly path: string; read(body: unknown): ListedModel[] };
  /** Where the account's voices are listed, below the base URL, and how the list reads. */
  readonly voiceList?: { readonly path: string; read(body: unknown): ListedVoice[] };
  /** The provider's own SDK accepts a bare host as its base URL and appends this path. */
  readonly barePath?: string;
  /** The port of a server of this kind on the local machine. */
  readonly localPort?: number;
  readonly responsePatch?: ResponsePatch;
  /** Sent with every request, unless the dialect sets others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where an account is more than an address and a key. */
  readonly account?: AccountRules;
}

/** A repair of a provider's responses, before they are parsed. */
export interface ResponsePatch {
  /** A text that a reply or frame must contain to need the repair; all others are not parsed. */
  readonly marker: string;
  /** A whole reply, or the data of one frame. The same object when there is nothing to repair. Pure. */
  patch(body: JsonObject): JsonObject;
  /** In place of both for the frames of one stream, where a repair depends on what came before. */
  stream?(): StreamPatch;
}

/** The repair of one stream. */
export interface StreamPatch {
  /** False for the text of a frame that surely needs none. */
  needs(raw: string): boolean;
  patch(body: JsonObject): JsonObject;
}

/** One provider in the configuration, without its account. */
export interface ProviderEntry {
  readonly name: string;
  /** Null when the provider's own list has the models. */
  readonly models: readonly string[] | null;
  /** What rules of callers can ask for, such as `region: eu`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Voices by the names that clients give them: the provider's own name of each. */
  readonly voices?: Readonly<Record<string, string>>;
  /** What models accept, in addition to the built-in tables. */
  readonly declared?: readonly DeclaredModel[];
  readonly timeouts: Timeouts;
  /** Options that differ from those of its kind. */
  readonly options?: CompatibilityFlags;
}

/** An entry for a provider behind HTTP: in addition its kind, its address and its account. */
export interface HttpEntry extends ProviderEntry {
  readonly kind: HttpKind;
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly proxy?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly account?: Account;
}

/** One attempt at an upstream. */
export interface DispatchRequest {
  readonly call: UpstreamRequest;
  readonly dialect: UpstreamDialect;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** Sends a call about a task. */
export type SendTask = (call: UpstreamRequest, signal: AbortSignal) => Promise<Response>;

/** Over HTTP, in one of the kind's dialects. */
export interface HttpDispatch {
  readonly form: "http";
  readonly baseUrl: string;
  /** Removes the provider's credential and address from what it returns. */
  readonly redactor: Redactor;
  send(request: DispatchRequest): Promise<Response>;
  readonly sendTask: SendTask;
}

/** The reply of a provider inside the process. A stream has a finish event at its end; audio throws where it is incomplete. */
export type CanonicalReply =
  | { readonly response: OperationResponse }
  | { readonly events: AsyncIterable<StreamEvent> }
  | { readonly audio: AsyncIterable<Uint8Array>; readonly format: AudioFormat; readonly usage: Usage };

/** Inside the process, in canonical form and so in every dialect of a client. */
export interface CanonicalDispatch {
  readonly form: "canonical";
  readonly operations: ReadonlySet<Operation>;
  answer(request: OperationRequest, signal: AbortSignal): Promise<CanonicalReply>;
  /** What the provider ignores of a request, for one that replaces others. */
  warningsFor?(request: OperationRequest, context: RenderContext): readonly Warning[];
  readonly sendTask?: SendTask;
}

/** How a provider answers. Both throw GatewayError. */
export type Dispatch = HttpDispatch | CanonicalDispatch;

/** What a provider lists of its account. A list that it does not have is absent. */
export interface ProviderLists {
  models?(signal: AbortSignal): Promise<ListedModel[]>;
  voices?(signal: AbortSignal): Promise<ListedVoice[]>;
}

/** A configured provider: what it has in common with others of its kind, its entry, how it answers, what it lists. */
export interface Provider {
  readonly kind: ProviderKind;
  /** Its options are those of the kind, too. */
  readonly entry: ProviderEntry & { readonly options: CompatibilityFlags };
  readonly dispatch: Dispatch;
  readonly list: ProviderLists;
}

/** A configured provider behind HTTP. */
export type HttpProvider = Provider & { readonly dispatch: HttpDispatch };

/** The dialects in which this model can be asked, in order of preference. */
export function dialectsOf({ kind }: Provider, model: string): readonly UpstreamDialect[] {
  if (kind.supports === undefined) return kind.dialects;
  return kind.dialects.filter((dialect) => kind.supports?.(dialect, model));
}

/** True where this model can be asked for this operation. Videos have upstreams of their own. */
export function serves(provider: Provider, operation: Operation, model?: string): boolean {
  const { kind, dispatch } = provider;
  if (operation === "video") return kind.videos !== undefined;
  if (dispatch.form === "canonical") return dispatch.operations.has(operation);
  const dialects = model === undefined ? kind.dialects : dialectsOf(provider, model);
  return dialects.some((dialect) => dialect.operation === operation);
}

/** Whose opaque state replies of this model contain; only the same origin may receive it again. */
export function originOf({ kind }: Provider, model: string): string {
  return kind.originOf?.(model) ?? kind.origin;
}

/** Bounds on silence, in milliseconds. */
export interface Timeouts {
  /** From the request to the status line of a whole reply. */
  readonly wholeMs: number;
  /** From the request to the first event of a stream. */
  readonly firstByteMs: number;
  /** Between two reads of a stream that has begun. */
  readonly idleMs: number;
}

export const defaultTimeouts: Timeouts = { wholeMs: 600_000, firstByteMs: 300_000, idleMs: 120_000 };
