// The contract of a provider: somebody who answers, as data: an address, a way to sign, the dialects spoken.
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
import type { Account, AccountRules } from "./credentials.ts";
import type { ListedModel } from "./model-list.ts";
import type { Redactor } from "./redaction.ts";
import type { RequestQuirks } from "./request-quirks.ts";
import type { TaskPolling } from "./task-polling.ts";

export type { ListedModel };

import type { Secret } from "../lib/secret.ts";

/** A kind of provider: what is the same for everybody who has an account there. */
export interface ProviderKind extends RequestQuirks {
  readonly name: string;
  /** Where the provider's own SDK points when nothing is said; absent where there is no such place. */
  readonly baseUrl?: string;
  /** Variables whose presence configures a provider of this kind by itself. */
  readonly environment?: { readonly credential?: string; readonly baseUrl: string };
  /** In order of preference; one per operation is enough. */
  readonly dialects: readonly UpstreamDialect[];
  /** The wires on which it makes videos, best first; the first that serves a model is taken for it. */
  readonly videos?: readonly VideoUpstream[];
  /** False where this model is not served in this dialect, so that another one is spoken. Absent: each in all of them. */
  supports?(dialect: UpstreamDialect, model: string): boolean;
  /** The dialect that this model is best asked in; `client` is the client's own. Absent: the first that serves it. */
  prefers?(request: RequestOutline, query: ModelQuery, client: UpstreamDialect): UpstreamDialect | undefined;
  /** How tasks are followed, where a dialect answers with one. */
  readonly polling?: readonly TaskPolling[];
  /** The models that answer where a client may leave the model out. */
  readonly defaultModels?: { readonly [operation in Operation]?: string };
  /** Tag of the opaque state that this kind makes and can read again. */
  readonly origin: string;
  /** As `origin`, where models of several makers are served, which cannot read each other's state. */
  originOf?(model: string): string;
  /** Schemes of its own storage that addresses of media may have beside http and https, as `gs:`. */
  readonly mediaSchemes?: readonly string[];
  /** Headers that present the credential. */
  authHeaders(credential: Secret): Readonly<Record<string, string>>;
  /** Where the models are listed, below the base URL, and how the list reads. */
  readonly listing?: { readonly path: string; read(body: unknown): ListedModel[] };
  /** Where the account's voices are listed, below the base URL, and how the list reads. */
  readonly voiceList?: { readonly path: string; read(body: unknown): ListedVoice[] };
  readonly options?: CompatibilityFlags;
  /** The provider's own SDK takes a bare host as its base URL and puts this path behind it. */
  readonly barePath?: string;
  /** Where it listens on the machine of somebody who runs it at home. */
  readonly localPort?: number;
  readonly responsePatch?: ResponsePatch;
  /** Sent with every request, unless the dialect says otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where an account is more than an address and a key. */
  readonly account?: AccountRules;
}

/** A repair of what a provider says, before anybody reads it. */
export interface ResponsePatch {
  /** A text that a reply or frame must hold to need the repair; all others go by unread. */
  readonly marker: string;
  /** A whole reply, or the data of one frame. The same object when there is nothing to mend. Pure. */
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

/** What an operator says about one provider. */
export interface ProviderEntry {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly models: readonly string[] | null;
  /** Voices by the names that clients give them: the provider's own name of each. */
  readonly voices?: Readonly<Record<string, string>>;
  /** What models accept, in addition to the built-in tables. */
  readonly declared?: readonly DeclaredModel[];
  readonly proxy?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  readonly account?: Account;
  /** What this server does otherwise than its kind. */
  readonly options?: CompatibilityFlags;
}

/** One try at an upstream. */
export interface DispatchRequest {
  readonly call: UpstreamRequest;
  readonly dialect: UpstreamDialect;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** The reply of a provider inside the process. A stream has a finish event at its end; audio throws where it is incomplete. */
export type CanonicalReply =
  | { readonly response: OperationResponse }
  | { readonly events: AsyncIterable<StreamEvent> }
  | { readonly audio: AsyncIterable<Uint8Array>; readonly format: AudioFormat; readonly usage: Usage };

export interface HttpDispatch {
  readonly form: "http";
  send(request: DispatchRequest): Promise<Response>;
}

/** How a provider answers: over HTTP in one of its dialects, or inside the process in canonical form. Both throw GatewayError. */
export type Dispatch =
  | HttpDispatch
  | { readonly form: "canonical"; answer(request: OperationRequest, signal: AbortSignal): Promise<CanonicalReply> };

/** A configured provider, ready to be asked. */
export interface Provider {
  readonly name: string;
  readonly kind: string;
  readonly origin: string;
  /** As in its kind. */
  originOf?(model: string): string;
  /** As in its kind. A provider inside the process has none: it serves its `operations` in every dialect of a client. */
  readonly dialects: readonly UpstreamDialect[];
  /** What a provider inside the process answers. */
  readonly operations?: ReadonlySet<Operation>;
  /** As in its kind. */
  readonly videos?: readonly VideoUpstream[];
  /** As in its kind. */
  supports?(dialect: UpstreamDialect, model: string): boolean;
  /** As in its kind. */
  prefers?(request: RequestOutline, query: ModelQuery, client: UpstreamDialect): UpstreamDialect | undefined;
  /** As in its kind. */
  readonly defaultModels?: { readonly [operation in Operation]?: string };
  /** What this provider would ignore of a request in its own dialect, for one that stands in for others. */
  warningsFor?(request: OperationRequest, context: RenderContext): readonly Warning[];
  /** The models that answer requests without a model where no other provider is configured. */
  readonly fallbackModels?: { readonly [operation in Operation]?: string };
  readonly options: CompatibilityFlags;
  /** Model names that the configuration declares; null when only the provider's own list can tell. */
  readonly models: readonly string[] | null;
  /** As in its entry. */
  readonly voices?: Readonly<Record<string, string>>;
  /** As in its entry. */
  readonly declared?: readonly DeclaredModel[];
  readonly timeouts: Timeouts;
  /** Where it is asked. Absent where it answers inside the process. */
  readonly baseUrl?: string;
  /** As in its kind. */
  readonly mediaSchemes?: readonly string[];
  /** Takes this provider's own credential and address out of what it says. Absent where there is nothing to hide. */
  readonly redactor?: Redactor;
  readonly dispatch: Dispatch;
  /** As `dispatch`, for a call about a task; there wherever `videos` are. */
  dispatchTask?(call: UpstreamRequest, signal: AbortSignal): Promise<Response>;
  /** The provider's own list. Absent where it has none. */
  list?(signal: AbortSignal): Promise<ListedModel[]>;
  /** The voices of the provider's account. Absent where there is no such list. */
  listVoices?(signal: AbortSignal): Promise<ListedVoice[]>;
}

/** A configured provider behind HTTP. */
export type HttpProvider = Provider & { readonly dispatch: HttpDispatch };

/** The dialects in which this model can be asked, in order of preference. */
export function dialectsOf(provider: Provider, model: string): readonly UpstreamDialect[] {
  if (provider.supports === undefined) return provider.dialects;
  return provider.dialects.filter((dialect) => provider.supports?.(dialect, model));
}

/** True where this model can be asked for this operation. Videos have upstreams of their own. */
export function serves(provider: Provider, operation: Operation, model?: string): boolean {
  if (operation === "video") return provider.videos !== undefined;
  if (provider.operations !== undefined) return provider.operations.has(operation);
  const dialects = model === undefined ? provider.dialects : dialectsOf(provider, model);
  return dialects.some((dialect) => dialect.operation === operation);
}

/** Who makes the opaque state in replies of this model, and may see it again. */
export function originOf(provider: Provider, model: string): string {
  return provider.originOf?.(model) ?? provider.origin;
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
