// What an endpoint is: a row that binds a method and a path to a dialect, or to a document of the gateway's own.
import type { TSchema } from "typebox";
import type { Dialect } from "../dialects/dialect.ts";
import type { IncomingRequest } from "../gateway/pipeline/incoming-request.ts";
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";
import type { Caller } from "../gateway/policy/caller.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Carrier } from "./credentials.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Which key a row wants. There is no default: a row that forgets to say does not compile. */
export type KeyRule =
  | { readonly key: "client"; readonly carriers: readonly Carrier[] }
  /** The admin key or a service token, which the handler looks at. */
  | { readonly key: "admin" }
  | { readonly key: "none" };

/** How errors are told. */
export interface ErrorFormat {
  /** Whose envelope they wear. */
  readonly errors: Dialect["error"];
  /** Names beside x-request-id under which callers look for the id. */
  readonly idHeaders: readonly string[];
  /** What headers of rate limits begin with, in addition to the usual ones. */
  readonly rateHeaders?: string;
}

/** A parameter behind the question mark, for whoever reads the documents; `schema` is JSON Schema. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
  readonly schema: JsonObject;
}

interface Row extends ErrorFormat {
  readonly method: Method;
  /** `{name}` stands for one segment, `{name...}` for the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: KeyRule;
  readonly query?: readonly QueryParameter[];
  /** Where one path serves several protocols: how errors of this request are told. */
  readonly sideFor?: (request: Request) => ErrorFormat;
}

/** A body that may be a form, or must be one. */
export interface FormRule {
  readonly only: boolean;
  /** File parts by name: what they are, for the reader of the OpenAPI document. */
  readonly files: Readonly<Record<string, string>>;
}

/** A request to a model. */
export interface ModelEndpoint extends Row {
  readonly kind: "ask";
  readonly dialect: Dialect;
  /** A header that must be there, under any of these names. */
  readonly requiredHeader?: readonly string[];
  /** A second shape of JSON body on this path, and what tells it apart. */
  readonly alternate?: {
    readonly dialect: Dialect;
    speaks(wire: JsonObject, params: Readonly<Record<string, string>>): boolean;
  };
  /** Absent: the body is JSON. */
  readonly form?: FormRule;
  /** Content-Type of the reply in the OpenAPI document, where it is no JSON. */
  readonly replyTypes?: readonly string[];
  /** Body fields that the path fills when the body leaves them out. */
  readonly fromPath?: readonly string[];
  /** What the path says beyond its parameters. */
  readonly pathConstants?: Readonly<Record<string, string>>;
  /** Who answers in place of the corridor, and asks it in turn. */
  readonly answer?: (incoming: IncomingRequest) => Promise<GatewayReply>;
  /** True: a streamed reply to this request is one JSON array, not events. */
  readonly asArray?: (request: Request) => boolean;
}

/** What a plain handler may look at. */
export interface HandlerContext {
  readonly request: Request;
  readonly requestId: string;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  readonly params: Readonly<Record<string, string>>;
  /** Where the client has reached the gateway, as `https://host`; empty where it has not said. */
  readonly origin: () => string;
  /** Null where the row wants no key. */
  readonly caller: Caller | null;
  /** Where the request comes from. */
  address(): string;
}

/** A document of the gateway's own. */
export interface HandlerEndpoint extends Row {
  readonly kind: "plain";
  readonly handle: (visit: HandlerContext) => Response | Promise<Response>;
  /** Its group and the schema of its reply in the OpenAPI document, where descriptions.ts has no row for it. */
  readonly tag?: string;
  readonly reply?: TSchema;
  /** What it reads, for the OpenAPI document. */
  readonly body?: { readonly schema: TSchema; readonly form?: FormRule };
  /** As for requests to a model. */
  readonly replyTypes?: readonly string[];
  /** A request that shows something else in place of a key: the handler has to judge it, and gets nobody as the caller. */
  readonly needsNoKey?: (request: Request) => boolean;
  /** For a browser that comes without a valid key: a page that asks for one, with status 401. */
  readonly signIn?: (visit: Pick<HandlerContext, "requestId">) => Response;
}

export type Endpoint = ModelEndpoint | HandlerEndpoint;
