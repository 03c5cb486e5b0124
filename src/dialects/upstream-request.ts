// A request for an upstream: a path and a body, as JSON, as a form or as bytes.
import type { Warning } from "../canonical/warning.ts";
import type { JsonObject } from "../lib/json.ts";
import type { JsonSource } from "../lib/json-source.ts";
import type { WrittenPart } from "../lib/multipart-write.ts";

/** A part of a form: a text, or a file. */
export type FormPart = WrittenPart;

/** A file of a client's form; `field` is the part's name. */
export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  /** As the client declared it; empty if it did not. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A request for an upstream. */
export interface UpstreamRequest {
  /** POST where absent. GET and DELETE carry no body. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the provider's base URL, without a leading slash. */
  readonly path: string;
  readonly body: JsonObject;
  /** The client's own body: members that are equal in `body` are sent as its original bytes. */
  readonly source?: JsonSource;
  /** Sent as multipart/form-data in place of the body. */
  readonly form?: readonly FormPart[];
  /** Sent in place of the body, under this Content-Type. */
  readonly bytes?: { readonly type: string; readonly bytes: Uint8Array };
  /** In addition to content type and authentication. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request to repeat with the same server, when this one is refused or its reply is invalid. */
  readonly again?: UpstreamRequest;
}

export interface RenderedRequest {
  readonly call: UpstreamRequest;
  /** What was left out or approximated. What must not be left out is thrown as `unsupported_parameter`. */
  readonly warnings: readonly Warning[];
}
