// What codecs receive in addition to the wire: facts about the request, the upstream and the client.
import type { OperationRequest } from "../canonical/operation.ts";
import type { FieldName } from "../canonical/request-field.ts";
import type { ListedVoice } from "../canonical/speech.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CompatibilityFlags } from "./compatibility-flags.ts";
import type { DeclaredModel, ModelQuery } from "./shared/model-table.ts";
import type { UploadedFile } from "./upstream-request.ts";

/** What a codec may read of the request besides its body. Header names are in lower case. */
export interface RequestMeta {
  header(name: string): string | null;
  /** Path parameters of the endpoint, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Files of a form; absent where the body was JSON. */
  readonly files?: readonly UploadedFile[];
}

/** What a codec needs to render a request for an upstream. */
export interface RenderContext {
  /** The upstream's own name for the model. */
  readonly model: string;
  /** The origin of opaque state that may be sent; state of any other origin is left out. */
  readonly origin: string;
  /** The path of a canonical field on the client's wire, for warnings and errors. */
  fieldPath(field: FieldName): string;
  /** The model's maximum output, if the catalog has it. */
  readonly maxOutputTokens?: number;
  /** For speech: the upstream's own name of the requested voice, if the catalog has it. */
  readonly voice?: string;
  /** For speech: the voices of the provider's account, if it lists them. */
  readonly listedVoices?: readonly ListedVoice[];
  /** What the operator declared about this provider's models, in addition to the built-in tables. */
  readonly declared?: readonly DeclaredModel[];
  /** Switches that a provider's definition sets for its servers. */
  readonly options?: CompatibilityFlags;
}

/** What a codec needs to read an upstream's reply. */
export interface ReadContext {
  /** Tag for the opaque state in the reply. */
  readonly origin: string;
  /** The requested model, for readers that depend on its capabilities. */
  readonly upstream?: ModelQuery;
  /** The canonical request, so that renamed tools and changed kinds come back as the client sent them. */
  readonly request?: OperationRequest;
}

/** What the gateway decides about a response that it stores, whichever provider generates it. */
export interface ResponseIdentity {
  readonly id: string;
  readonly isStored: boolean;
  /** The gateway has already sent the event that opens the stream. */
  readonly isBackground: boolean;
  readonly previousId: string | null;
}

/** What a codec needs to write a reply for the client. */
export interface WriteContext {
  readonly request: OperationRequest;
  /** The client's own body, for dialects that echo request fields. */
  readonly wire: JsonObject;
  /** Used when the upstream returned no id. */
  readonly id: string;
  /** Unix seconds; used when the upstream returned none. */
  readonly createdAt: number;
  /** Estimated input tokens, for dialects that report them before the upstream does. */
  readonly inputEstimate: number;
  /** Set when the response is stored or refers to stored ones: the identity under which the client receives it. */
  readonly stored?: ResponseIdentity;
}
