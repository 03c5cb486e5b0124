// The contract of an endpoint: a row that binds a method and a path to a dialect, or to a handler of the gateway
// itself.
import type { TSchema } from "typebox";
import type { Dialect } from "../dialects/dialect.ts";
import type { IncomingRequest } from "../gateway/pipeline/gateway-request.ts";
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";
import type { Caller } from "../gateway/policy/caller.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Carrier } from "./credentials.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The key that a row requires. There is no default: a row without it does not compile. */
export type KeyRule =
  | { readonly key: "client"; readonly carriers: readonly Carrier[] }
  /** The admin key or a service token, which the handler checks */
  | { readonly key: "admin" }
  | { readonly key: "none" };

/** The error format of a protocol. */
export interface ErrorFormat {
  /** The dialect of the error body. */
  readonly errors: Dialect["error"];
  /** Headers in addition to x-request-id in which clients expect the request id. */
  readonly idHeaders: readonly string[];
  /** The prefix of rate limit headers, in addition to the standard ones. */
  readonly rateHeaders?: string;
}

/** A query parameter, for the documentation; `schema` is JSON Schema. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
  readonly schema: JsonObject;
}

interface Row extends ErrorFormat {
  readonly method: Method;
  /** `{name}` matches one segment, `{name...}` the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: KeyRule;
  readonly query?: readonly QueryParameter[];
  /** The error format of this request, where one path serves several protocols. */
  readonly sideFor?: (request: Request) => ErrorFormat;
}

/** A body that may or must be a form. */
export interface FormRule {
  readonly only: boolean;
  /** File parts by name, with their descriptions for the OpenAPI document. */
  readonly files: Readonly<Record<string, string>>;
}

/** A request to a model. */
export interface ModelEndpoint extends Row {
  readonly kind: "ask";
  readonly dialect: Dialect;
  /** A required header, under any of these names. */
  readonly requiredHeader?: readonly string[];
  /** A second shape of JSON body on this path, and how to recognize it. */
  readonly alternate?: {
    readonly dialect: Dialect;
    speaks(wire: JsonObject, params: Readonly<Record<string, string>>): boolean;
  };
  /** Absent: the body is JSON. */
  readonly form?: FormRule;
  /** Content-Type of the reply in the OpenAPI document, if it is not JSON. */
  readonly replyTypes?: readonly string[];
  /** Body fields that the path supplies when the body omits them. */
  readonly fromPath?: readonly string[];
  /** Constant values that the path implies. */
  readonly pathConstants?: Readonly<Record<string, string>>;
  /** Handles the request instead of the pipeline, and calls it. */
  readonly answer?: (incoming: IncomingRequest) => Promise<GatewayReply>;
  /** True: a stream for this request is one JSON array, not events. */
  readonly asArray?: (request: Request) => boolean;
}

/** What a handler may use. */
export interface HandlerContext {
  readonly request: Request;
  readonly requestId: string;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  readonly params: Readonly<Record<string, string>>;
  /** The origin at which the client reached the gateway, as `https://host`; empty if unknown. */
  readonly origin: () => string;
  /** Null if the row requires no key. */
  readonly caller: Caller | null;
  /** The client's address. */
  address(): string;
}

/** A response of the gateway itself. */
export interface HandlerEndpoint extends Row {
  readonly kind: "plain";
  readonly handle: (visit: HandlerContext) => Response | Promise<Response>;
  /** Its group and the schema of its reply in the OpenAPI document, if descriptions.ts has no row for it. */
  readonly tag?: string;
  readonly reply?: TSchema;
  /** The body that it reads, for the OpenAPI document. */
  readonly body?: { readonly schema: TSchema; readonly form?: FormRule };
  /** As for requests to a model. */
  readonly replyTypes?: readonly string[];
  /** A request with other proof than a key: the handler checks it, and `caller` is null. */
  readonly needsNoKey?: (request: Request) => boolean;
  /** For a browser without a valid key: a page that asks for one, with status 401. */
  readonly signIn?: (visit: Pick<HandlerContext, "request" | "requestId">) => Response | Promise<Response>;
}

export type Endpoint = ModelEndpoint | HandlerEndpoint;
