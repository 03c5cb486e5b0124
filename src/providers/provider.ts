// The contract of a provider: its kind, its entry in the configuration, how it is called, what it lists.

import type { Operation, OperationRequest, OperationResponse } from "../canonical/operation.ts";
import type { AudioFormat, ListedVoice } from "../canonical/speech.ts";
import type { StreamEvent } from "../canonical/stream-event.ts";
import type { Usage } from "../canonical/usage.ts";
import type { Warning } from "../canonical/warning.ts";
import type { CompatibilityFlags, RenderContext, UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import type { RequestOutline } from "../dialects/request-outline.ts";
import type { DeclaredModel, ModelQuery } from "../dialects/shared/model-table.ts";
import type { VideoUpstream } from "../dialects/video/upstream.ts";
import type { Cancellation } from "../lib/cancellation.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Account, AccountAccess, AccountEntry, AccountRules, SignerFactory } from "./credentials.ts";
import type { ListedModel } from "./model-list.ts";
import type { Redactor } from "./redaction.ts";
import type { RequestQuirks } from "./request-quirks.ts";
import type { TaskPolling } from "./task-polling.ts";
import type { Timeouts } from "./timeouts.ts";
import type { ProviderTls } from "./upstream.ts";

export type { ListedModel };

import type { Secret } from "../lib/secret.ts";
import type { HttpResponse } from "./transport/response.ts";

/** A kind of provider: what all of its accounts share. */
interface ProviderKind {
  readonly name: string;
  /** In order of preference; one per operation is enough. Empty for an in-process provider. */
  readonly dialects: readonly UpstreamDialect[];
  /** The wires for videos, best first; the first that serves a model is used. */
  readonly videos?: readonly VideoUpstream[];
  /**
   * False where this model is not served in this dialect, so that another one is used. Absent: all models in all
   * dialects.
   */
  supports?(dialect: UpstreamDialect, model: string): boolean;
  /** The best dialect for this model; `client` is the client's dialect. Absent: the first that serves it. */
  prefers?(request: RequestOutline, query: ModelQuery, client: UpstreamDialect): UpstreamDialect | undefined;
  /** The default models where a client may omit the model. */
  readonly defaultModels?: { readonly [operation in Operation]?: string };
  /** The models for such requests where no other provider is configured. */
  readonly fallbackModels?: { readonly [operation in Operation]?: string };
  /** The origin of the opaque state that this kind makes and can read. */
  readonly origin: string;
  /** As `origin`, for models of several vendors, which cannot read each other's state. */
  originOf?(model: string): string;
  /** URL schemes of its own storage for media, in addition to http and https, as `gs:`. */
  readonly mediaSchemes?: readonly string[];
  readonly options?: CompatibilityFlags;
}

/** A kind over HTTP: in addition, where and how its accounts are reached. */
export interface HttpKind extends ProviderKind, RequestQuirks {
  /** The base URL of the provider's own SDK; absent if there is none. */
  readonly baseUrl?: string;
  /** Environment variables that configure a provider of this kind. */
  readonly environment?: { readonly credential?: string; readonly baseUrl: string };
  /** How tasks are polled, for dialects that return one. */
  readonly polling?: readonly TaskPolling[];
  /** How requests are signed. */
  readonly signer: SignerFactory;
  /** Differences in the calls of an account. */
  access?(entry: AccountEntry): AccountAccess;
  /** The path of the model list, relative to the base URL, and its reader. */
  readonly listing?: { readonly path: string; read(body: unknown): ListedModel[] };
  /** The path of the account's voices, relative to the base URL, and its reader. */
  readonly voiceList?: { readonly path: string; read(body: unknown): ListedVoice[] };
  /** The provider's own SDK accepts a bare host as its base URL and appends this path. */
  readonly barePath?: string;
  /** The port of a server of this kind on the local machine. */
  readonly localPort?: number;
  readonly responsePatch?: ResponsePatch;
  /** Sent with every request, unless the dialect sets others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For accounts that need more than a URL and a key. */
  readonly account?: AccountRules;
}

/** A patch of a provider's responses, applied before they are parsed. */
export interface ResponsePatch {
  /** Only replies and frames that contain this text are parsed and patched. */
  readonly marker: string;
  /** Patches a complete reply, or the data of one frame. The same object when nothing changes. Pure. */
  patch(body: JsonObject): JsonObject;
  /** Used instead for the frames of a stream, where a patch depends on earlier frames. */
  stream?(): StreamPatch;
}

/** The patch of one stream. */
export interface StreamPatch {
  /** False for the text of a frame that certainly needs no patch. */
  needs(raw: string): boolean;
  patch(body: JsonObject): JsonObject;
}

/** How much of a provider or a credential the operator allows to be used. */
export interface ProviderLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** In nano-dollars, for each day of the configured time zone. */
  readonly costPerDay?: bigint;
}

/** One provider in the configuration, without its account. */
export interface ProviderEntry {
  readonly name: string;
  /** The name of its credential, where it has several. */
  readonly credentialName?: string;
  /** The share of this credential among them. Absent: 1. */
  readonly credentialWeight?: number;
  /** The operator's limits on all of its credentials together, and on this one. Absent: none. */
  readonly limits?: ProviderLimits;
  readonly credentialLimits?: ProviderLimits;
  /** Null when the provider's own list is used. */
  readonly models: readonly string[] | null;
  /** Labels that rules of keys may require, such as `region: eu`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Voices by the names that clients use: the provider's own name of each. */
  readonly voices?: Readonly<Record<string, string>>;
  /** Declared model capabilities, in addition to the built-in tables. */
  readonly declared?: readonly DeclaredModel[];
  /** What the operator has set. */
  readonly timeouts: Partial<Timeouts>;
  /** True: it gets no requests. */
  readonly isDisabled?: true;
  /** True: it gets `traceparent` and `tracestate`. */
  readonly forwardsTrace?: true;
  /** Absent: it is not probed. */
  readonly probe?: ProbeRule;
  /** Options that differ from those of its kind. */
  readonly options?: CompatibilityFlags;
}

/** How a provider is called while no request shows whether it works. */
export interface ProbeRule {
  readonly intervalMs: number;
  /** A request for one token of this model is made, which is booked. Absent: the model list is requested. */
  readonly model?: string;
}

/** An entry for a provider over HTTP: in addition its kind, its URL and its account. */
export interface HttpEntry extends ProviderEntry {
  readonly kind: HttpKind;
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly proxy?: string;
  /** For its own address only. */
  readonly tls?: ProviderTls;
  readonly headers: Readonly<Record<string, string>>;
  readonly account?: Account;
}

/** One attempt at an upstream. */
export interface DispatchRequest {
  readonly call: UpstreamRequest;
  readonly dialect: UpstreamDialect;
  readonly stream: boolean;
  readonly signal: Cancellation;
  /** How long a connection may take. Absent: as long as the signal allows. */
  readonly connectMs?: number;
  /** Is given the body as it leaves. */
  readonly observe?: ObserveBody;
}

export type ObserveBody = (pieces: readonly (Uint8Array | string)[]) => void;

/** Sends a call about a task. */
type SendTask = (call: UpstreamRequest, signal: Cancellation) => Promise<HttpResponse>;

/** Over HTTP, in one of the kind's dialects. */
export interface HttpDispatch {
  readonly form: "http";
  readonly baseUrl: string;
  /** Removes the provider's credential and host from returned content. */
  readonly redactor: Redactor;
  send(request: DispatchRequest): Promise<HttpResponse>;
  readonly sendTask: SendTask;
}

/** The reply of an in-process provider. A stream ends with a finish event; audio throws if it is incomplete. */
export type CanonicalReply =
  | { readonly response: OperationResponse }
  | { readonly events: AsyncIterable<StreamEvent> }
  | { readonly audio: AsyncIterable<Uint8Array>; readonly format: AudioFormat; readonly usage: Usage };

/** In-process, in canonical form and so in every dialect of a client. */
interface CanonicalDispatch {
  readonly form: "canonical";
  readonly operations: ReadonlySet<Operation>;
  answer(request: OperationRequest, signal: AbortSignal): Promise<CanonicalReply>;
  /** The fields of a request that the provider ignores, for one that replaces others. */
  warningsFor?(request: OperationRequest, context: RenderContext): readonly Warning[];
  readonly sendTask?: SendTask;
}

/** How a provider is called. Both forms throw GatewayError. */
type Dispatch = HttpDispatch | CanonicalDispatch;

/** The lists of a provider's account; absent if it has none. */
export interface ProviderLists {
  models?(signal: AbortSignal): Promise<ListedModel[]>;
  voices?(signal: AbortSignal): Promise<ListedVoice[]>;
}

/** A configured provider: its kind, its entry, how it is called, what it lists. */
export interface Provider {
  readonly kind: ProviderKind;
  /** The options of the kind, with those of the entry. */
  readonly entry: ProviderEntry & { readonly options: CompatibilityFlags };
  readonly dispatch: Dispatch;
  readonly list: ProviderLists;
  /** The same provider under its other credentials. Absent: it has one. */
  readonly others?: readonly Provider[];
}

/** A configured provider over HTTP. */
export type HttpProvider = Provider & { readonly dispatch: HttpDispatch };

/** The dialects that serve this model, in order of preference. */
export function dialectsOf({ kind }: Provider, model: string): readonly UpstreamDialect[] {
  if (kind.supports === undefined) return kind.dialects;
  return kind.dialects.filter((dialect) => kind.supports?.(dialect, model));
}

/** Whether this model can be used for this operation. Videos have upstreams of their own. */
export function serves(provider: Provider, operation: Operation, model?: string): boolean {
  const { kind, dispatch, entry } = provider;
  if (entry.isDisabled) return false;
  if (operation === "video") return kind.videos !== undefined;
  if (dispatch.form === "canonical") return dispatch.operations.has(operation);
  const dialects = model === undefined ? kind.dialects : dialectsOf(provider, model);
  return dialects.some((dialect) => dialect.operation === operation);
}

/** The origin of the opaque state in replies of this model. Only the same origin may receive it again. */
export function originOf({ kind }: Provider, model: string): string {
  return kind.originOf?.(model) ?? kind.origin;
}
