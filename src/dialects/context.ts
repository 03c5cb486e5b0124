// What dialects are told beside the wire: of the request, of the upstream, of the client.
import type { OperationRequest } from "../canonical/operation.ts";
import type { FieldName } from "../canonical/request-field.ts";
import type { ListedVoice } from "../canonical/speech.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CompatibilityFlags } from "./compatibility-flags.ts";
import type { DeclaredModel, ModelQuery } from "./shared/model-table.ts";
import type { UploadedFile } from "./upstream-request.ts";

/** What a dialect may read of the request besides its body. Header names are asked for in lower case. */
export interface RequestMeta {
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
  /** To speak: the voices that the provider's account has, where it lists them. */
  readonly listedVoices?: readonly ListedVoice[];
  /** What the operator declared of this provider's models, in addition to the built-in tables. */
  readonly declared?: readonly DeclaredModel[];
  /** Switches that a provider's file sets for its servers. */
  readonly options?: CompatibilityFlags;
}

/** What a reader of upstream text must know. */
export interface ReadContext {
  /** Tag for the opaque state in the reply. */
  readonly origin: string;
  /** The model as it was asked, for readers that depend on what it accepts. */
  readonly upstream?: ModelQuery;
  /** What was asked, so that names and kinds which the request had to change come back as the client knows them. */
  readonly request?: OperationRequest;
}

/** What the gateway decides about a response that it stores, whichever provider generates it. */
export interface ResponseIdentity {
  readonly id: string;
  readonly isStored: boolean;
  /** The gateway itself has sent the event that opens the stream. */
  readonly isBackground: boolean;
  readonly previousId: string | null;
}

/** What a writer to the client must know. */
export interface WriteContext {
  readonly request: OperationRequest;
  /** The client's own body, for dialects that echo what was asked. */
  readonly wire: JsonObject;
  /** Used where the upstream gave no id. */
  readonly id: string;
  /** Unix seconds; used where the upstream gave none. */
  readonly createdAt: number;
  /** Estimated input tokens, for dialects that tell them before the upstream does. */
  readonly inputEstimate: number;
  /** Set where the response is stored or refers to stored ones: it goes out under this identity. */
  readonly stored?: ResponseIdentity;
}
