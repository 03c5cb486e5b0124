// What an endpoint is: a row that binds a method and a path to a dialect, or to a document of the gateway's own.
import type { Dialect } from "../dialects/dialect.ts";
import type { Asked } from "../gateway/asked.ts";
import type { Reply } from "../gateway/gateway.ts";
import type { Caller } from "../gateway/keys.ts";
import type { Carrier } from "./credentials.ts";

export type Method = "GET" | "POST" | "DELETE";

/** Which key a row wants. There is no default: a row that forgets to say does not compile. */
export type KeyRule = { readonly key: "client"; readonly carriers: readonly Carrier[] } | { readonly key: "none" };

/** How errors are told. */
export interface Side {
  /** Whose envelope they wear. */
  readonly errors: Dialect["error"];
  /** Names beside x-request-id under which callers look for the id. */
  readonly idHeaders: readonly string[];
}

interface Row extends Side {
  readonly method: Method;
  /** `{name}` stands for one segment, `{name...}` for the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: KeyRule;
  /** Where one path serves several protocols: how errors of this request are told. */
  readonly sideFor?: (request: Request) => Side;
}

/** A request to a model. */
export interface AskEndpoint extends Row {
  readonly kind: "ask";
  readonly dialect: Dialect;
  /** A header that must be there, under any of these names. */
  readonly requiredHeader?: readonly string[];
  /** Body fields that the path fills when the body leaves them out. */
  readonly fromPath?: readonly string[];
  /** What the path says beyond its parameters. */
  readonly says?: Readonly<Record<string, string>>;
  /** Who answers in place of the corridor, and asks it in turn. */
  readonly answer?: (asked: Asked) => Promise<Reply>;
  /** True: a streamed reply to this request is one JSON array, not events. */
  readonly asArray?: (request: Request) => boolean;
}

/** What a plain handler may look at. */
export interface PlainVisit {
  readonly request: Request;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  /** Null where the row wants no key. */
  readonly caller: Caller | null;
}

/** A document of the gateway's own. */
export interface PlainEndpoint extends Row {
  readonly kind: "plain";
  readonly handle: (visit: PlainVisit) => Response | Promise<Response>;
  /** For a browser that comes without a valid key: a page that asks for one, with status 401. */
  readonly signIn?: (visit: Pick<PlainVisit, "requestId">) => Response;
}

export type Endpoint = AskEndpoint | PlainEndpoint;
