// AWS Signature Version 4: headers that prove a request by a key that itself never travels.
import type { KeyPair, UnsignedRequest } from "../credentials.ts";

/** What a signature is bound to in addition to the request. */
export interface AwsScope {
  readonly region: string;
  readonly service: string;
}

/** A derived key is good for a day and a scope; older ones are let go. */
const maxDerivedKeys = 8;
const proofs = ["authorization", "x-amz-date", "x-amz-security-token"] as const;

/** `20150830T123600Z`. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

/** A signer for one key and scope. Only the host and the headers that it makes itself are covered, in addition to method, address and body. */
export function awsSigner(key: KeyPair, scope: AwsScope, nowMs: () => number) {
  const derivedKeys = new Map<string, ArrayBuffer>();
  return async ({ method, url, body }: UnsignedRequest): Promise<Record<string, string>> => {
    const { AwsV4Signer } = await import("aws4fetch");
    if (derivedKeys.size > maxDerivedKeys) derivedKeys.clear();
    const signer = new AwsV4Signer({
      method,
      url,
      ...scope,
      accessKeyId: key.accessKeyId.reveal(),
      secretAccessKey: key.secretAccessKey.reveal(),
      datetime: timestamp(nowMs()),
      cache: derivedKeys,
      ...(body === undefined ? {} : { body }),
      ...(key.sessionToken === undefined ? {} : { sessionToken: key.sessionToken.reveal() }),
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(proofs.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
  };
}
