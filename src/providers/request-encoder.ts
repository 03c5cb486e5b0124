// A call as it leaves: its method, its bytes, and the headers that say what they are.
import type { FormPart, UpstreamRequest } from "../dialects/dialect.ts";
import { writeBody } from "../lib/body-thread.ts";
import { randomId } from "../lib/ids.ts";
import { bytesOf } from "../lib/json-source.ts";
import { writeMultipart } from "../lib/multipart-write.ts";
import type { OutgoingRequest } from "./upstream.ts";

type Packed = Pick<OutgoingRequest, "method" | "headers" | "body" | "pieces">;

/** Packs calls for one provider: `base` are the headers of every request to it, the call's own go over them. */
export function requestEncoder(
  base: Readonly<Record<string, string>>,
): (call: UpstreamRequest) => Packed | Promise<Packed> {
  const posting = { ...base, "content-type": "application/json" };
  return (call) => {
    const { method = "POST", headers, form, bytes, body, source } = call;
    if (method === "GET" || method === "DELETE") return { method, headers: { ...base, ...headers } };
    if (form !== undefined) return packedForm(form, method, { ...base, ...headers });
    if (bytes !== undefined)
      return { method, headers: { ...base, "content-type": bytes.type, ...headers }, pieces: [bytes.bytes] };
    const all = headers === undefined ? posting : { ...posting, ...headers };
    const given = source === undefined ? null : bytesOf(body, source, "model");
    if (given !== null) return { method, headers: all, body: given };
    const written = writeBody(body);
    if (typeof written === "string") return { method, headers: all, body: written };
    return written.then((bytes) => ({ method, headers: all, body: bytes }));
  };
}

function packedForm(form: readonly FormPart[], method: Packed["method"], headers: Packed["headers"]): Packed {
  const boundary = randomId("turnpike-", 32);
  const type = `multipart/form-data; boundary=${boundary}`;
  return { method, headers: { ...headers, "content-type": type }, pieces: writeMultipart(form, boundary) };
}
