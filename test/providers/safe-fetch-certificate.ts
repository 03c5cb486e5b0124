// A certificate of its own making for one name or address, so that TLS is tested without a key in the repository.
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  key: string;
  cert: string;
}

/** In UTC, as `yymmddhhmmssZ`. */
export interface Validity {
  from: string;
  to: string;
}

/** One element of DER. */
function element(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const long = body.length < 0x80 ? [] : body.length < 0x100 ? [0x81] : [0x82, body.length >> 8];
  return Buffer.concat([Buffer.from([tag, ...long, body.length & 0xff]), body]);
}

const sequence = (...parts: Uint8Array[]): Buffer => element(0x30, ...parts);
const oid = (...bytes: number[]): Buffer => element(0x06, Buffer.from(bytes));
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const subjectAltName = oid(0x55, 0x1d, 0x11);
const commonName = oid(0x55, 0x04, 0x03);
const version3 = element(0xa0, element(0x02, Buffer.from([2])));
const serial = element(0x02, Buffer.from([1]));
const usual: Validity = { from: "200101000000Z", to: "491231235959Z" };
const nameOf = (text: string): Buffer =>
  sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from(text)))));
const basicConstraints = oid(0x55, 0x1d, 0x13);
const isAuthority = sequence(basicConstraints, element(0x04, sequence(element(0x01, Buffer.from([0xff])))));
const authorityName = "test authority";

/** A certificate authority of its own making. */
export const authority = (): Certificate => made({ own: authorityName, extension: isAuthority, validity: usual });

/** Signed by itself, or by an authority; trust it by giving that as the certificate authority. */
export function certificateFor(
  subject: { name: string } | { ipv4: string },
  validity: Validity = usual,
  issuer?: Certificate,
): Certificate {
  const alternative =
    "name" in subject
      ? element(0x82, Buffer.from(subject.name))
      : element(0x87, Buffer.from(subject.ipv4.split(".").map(Number)));
  const extension = sequence(subjectAltName, element(0x04, sequence(alternative)));
  return made({ own: "test", extension, validity, ...(issuer === undefined ? {} : { issuer }) });
}

interface Parts {
  own: string;
  extension: Buffer;
  validity: Validity;
  issuer?: Certificate;
}

function made({ own, extension, validity: { from, to }, issuer }: Parts): Certificate {
  const validity = sequence(...[from, to].map((time) => element(0x17, Buffer.from(time))));
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const issuerName = nameOf(issuer === undefined ? own : authorityName);
  const key = publicKey.export({ type: "spki", format: "der" });
  const extensions = element(0xa3, sequence(extension));
  const signed = sequence(version3, serial, ecdsaWithSha256, issuerName, validity, nameOf(own), key, extensions);
  const signature = element(0x03, Buffer.from([0]), sign("sha256", signed, signer));
  const text = sequence(signed, ecdsaWithSha256, signature).toString("base64");
  const cert = `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
