// Certificates of one provider: its own authorities, and what the gateway shows of itself, read from PEM files and checked.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { HttpEntry } from "../providers/provider.ts";
import type { ReadConfig } from "./file.ts";
import type { ProviderConfig } from "./schema.ts";
import { failureCode } from "./secret-files.ts";

const fields = { ca: "ca_file", cert: "client_certificate_file", key: "client_key_file" } as const;
type Part = keyof typeof fields;

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a PEM text; null where one cannot be read, or there is none. */
function certificatesIn(text: string): X509Certificate[] | null {
  try {
    const found = text.match(certificate)?.map((pem) => new X509Certificate(pem)) ?? [];
    return found.length === 0 ? null : found;
  } catch {
    // Why a certificate cannot be read is of no use to an operator: it has to be made again.
    return null;
  }
}

/** What is wrong with a private key; null for one that belongs to the certificate. */
function keyProblem(text: string, certificates: readonly X509Certificate[] | null): string | null {
  if (/ENCRYPTED/.test(text)) return "the private key is encrypted. Use a file with the decrypted key";
  try {
    const key = createPrivateKey(text);
    const [own] = certificates ?? [];
    return own === undefined || own.checkPrivateKey(key) ? null : "is not the key of `client_certificate_file`";
  } catch {
    // The reason could quote a part of the key.
    return "has no private key in PEM";
  }
}

function problemOf(part: Part, texts: { readonly [part in Part]?: string }): string | null {
  const text = texts[part];
  if (part === "key") return text === undefined ? null : keyProblem(text, certificatesIn(texts.cert ?? ""));
  return text === undefined || certificatesIn(text) !== null ? null : "has no certificate in PEM";
}

/** The certificates of an entry of the file, which has to be reached by https. Throws the fault of the first file that is wrong. */
export function tlsFromFile(
  place: readonly string[],
  config: ProviderConfig,
  baseUrl: string,
  file: ReadConfig,
): Pick<HttpEntry, "tls"> {
  const given = (Object.keys(fields) as Part[]).filter((part) => config[fields[part]] !== undefined);
  const [first] = given;
  if (first === undefined) return {};
  const fault = (part: Part, problem: string) => file.fault([...place, fields[part]], problem);
  if (!baseUrl.toLowerCase().startsWith("https:")) throw fault(first, "requires a `base_url` with https");
  if (given.includes("cert") !== given.includes("key")) {
    const [own, other] = given.includes("cert") ? (["cert", "key"] as const) : (["key", "cert"] as const);
    throw fault(own, `requires \`${fields[other]}\` too`);
  }
  const texts: { [part in Part]?: string } = {};
  for (const part of given) {
    try {
      texts[part] = file.files.read(config[fields[part]] ?? "");
    } catch (cause) {
      throw fault(part, `the file cannot be read (${failureCode(cause)}). Check the path and its permissions`);
    }
    const problem = problemOf(part, texts);
    if (problem !== null) throw fault(part, problem);
  }
  return { tls: texts };
}
