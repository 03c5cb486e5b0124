// The key of a request: one function for every way to send it.
import { GatewayError } from "../canonical/error.ts";
import { queryOf } from "./target.ts";

/** Where a key may be sent. `bearer` is accepted on every path. */
export type Carrier = "bearer" | "x-api-key" | "x-goog-api-key" | "query";

const bearerPrefix = /^bearer +/i;

function fromBearer({ headers }: Request): string | null {
  const value = headers.get("authorization");
  if (value === null || value.trim() === "") return null;
  if (/^hmac-sha256\b/i.test(value))
    throw new GatewayError(
      "invalid_api_key",
      "Request signatures are not supported. Send a key of this gateway as 'Authorization: Bearer <key>'.",
    );
  // A header that is sent twice is joined with a comma, which no key contains.
  if (!bearerPrefix.test(value) || value.includes(","))
    throw new GatewayError("invalid_api_key", "The API key is not valid.");
  return value.replace(bearerPrefix, "").trim() || null;
}

const readers: { readonly [carrier in Carrier]: (request: Request) => string | null } = {
  bearer: fromBearer,
  "x-api-key": ({ headers }) => headers.get("x-api-key")?.trim() || null,
  "x-goog-api-key": ({ headers }) => headers.get("x-goog-api-key")?.trim() || null,
  query: (request) => (request.url.includes("key=") ? queryOf(request).get("key") : null),
};

/** The key of the request. Throws `missing_api_key` if there is none, `invalid_api_key` if two differ. */
export function presentedKey(request: Request, carriers: readonly Carrier[]): string {
  let key: string | null = null;
  for (const carrier of carriers) {
    const found = readers[carrier](request);
    if (found === null) continue;
    if (key !== null && key !== found)
      throw new GatewayError("invalid_api_key", "The request has two different API keys. Send only one.");
    key = found;
  }
  if (key === null)
    throw new GatewayError("missing_api_key", "No API key was provided. Send it as 'Authorization: Bearer <key>'.");
  return key;
}
