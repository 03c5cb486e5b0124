// Faults of a URL or its response, and the client's error for each.
import { type ErrorKind, GatewayError } from "../../canonical/error.ts";
import type { UrlFault } from "./url-policy.ts";

type Fault =
  | UrlFault
  | "port"
  | "nowhere"
  | "unanswered"
  | "unreachable"
  | "status"
  | "redirects"
  | "compressed"
  | "type"
  | "tooLarge"
  | "slow";

interface FaultRow {
  /** The text after "The URL"; `detail` never contains an address. */
  message(detail: string): string;
  /** The kind when a provider supplied the URL: the result was generated and may have been billed. */
  readonly upstream: ErrorKind;
  /** The kind when a client supplied the URL, if its URL is not at fault. */
  readonly client?: ErrorKind;
}

const protocol = "upstream_protocol_error";
const failed = "upstream_failed";

const rows: { readonly [fault in Fault]: FaultRow } = {
  malformed: { message: () => "is not valid", upstream: protocol },
  tooLong: { message: () => "is too long", upstream: protocol },
  scheme: { message: () => "must begin with http:// or https://", upstream: protocol },
  credentials: { message: () => "must not contain a user name or a password", upstream: protocol },
  port: { message: () => "must use port 80 or 443; the operator of this gateway can allow others", upstream: protocol },
  // The same for an unknown name, a private address and a redirect to one: clients must not learn about private
  // networks.
  nowhere: { message: () => "points to a host that this gateway is not allowed to fetch", upstream: protocol },
  unanswered: {
    message: () => "has a host name that could not be resolved in time. Try again",
    upstream: "upstream_timeout",
    client: "upstream_timeout",
  },
  unreachable: { message: () => "could not be fetched: the server sent no valid response", upstream: failed },
  status: { message: (status) => `could not be fetched: the server returned status ${status}`, upstream: failed },
  redirects: { message: (most) => `has more than ${most} redirects`, upstream: protocol },
  compressed: {
    message: () => "returned compressed content, which is not supported",
    upstream: protocol,
  },
  type: { message: () => "returned a content type that is not supported", upstream: protocol },
  tooLarge: {
    message: (bytes) => `returned more than ${bytes} bytes, which is the limit`,
    upstream: protocol,
  },
  slow: { message: (timeMs) => `could not be fetched within ${timeMs} ms`, upstream: "upstream_timeout" },
};

/** Who supplied the URL, and in which field. */
export interface Origin {
  readonly givenBy: "client" | "upstream";
  /** The client's field. */
  readonly param?: string | undefined;
}

/** Makes the error; `cause` is only for the log. */
export type ErrorFactory = (fault: Fault, detail?: string | number, cause?: unknown) => GatewayError;

/** A client's URL is a client error (400); a provider's is an upstream error (502, or 504 for a timeout). */
export function errorFactory({ givenBy, param }: Origin): ErrorFactory {
  return (fault, detail = "", cause) => {
    const { message, upstream, client = "invalid_value" } = rows[fault];
    const what = message(String(detail));
    if (givenBy === "upstream") return new GatewayError(upstream, `The provider's result URL ${what}.`, { cause });
    return new GatewayError(client, `The URL ${what}.`, { param: param ?? null, cause });
  };
}
