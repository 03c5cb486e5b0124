// The key file of a service account: what it contains, and what is wrong with an invalid one.
import { isObject, parseJsonText } from "../../lib/json.ts";
import { Secret } from "../../lib/secret.ts";

export interface ServiceAccount {
  readonly email: string;
  /** PKCS #8, as PEM. */
  readonly privateKey: Secret;
  readonly keyId?: string;
  readonly project?: string;
  readonly tokenUrl: string;
}

const defaultTokenUrl = "https://oauth2.googleapis.com/token";

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function webUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? text : null;
}

/** The account in a key file, or one sentence that says what is wrong. The sentence never contains the text itself. */
export function readServiceAccount(file: Secret): ServiceAccount | string {
  const json = parseJsonText(file.reveal());
  if (!isObject(json)) return "the service account must be JSON or the path of a JSON file";
  const type = nonEmpty(json.type) ?? "nothing";
  if (type !== "service_account")
    return `the service account has the type '${type.slice(0, 40)}'; expected 'service_account'`;
  const email = nonEmpty(json.client_email);
  const key = nonEmpty(json.private_key);
  if (email === undefined) return "the service account has no 'client_email'";
  if (key === undefined || !key.includes("PRIVATE KEY")) return "the service account has no valid 'private_key'";
  const tokenUrl = webUrl(nonEmpty(json.token_uri) ?? defaultTokenUrl);
  if (tokenUrl === null) return "the service account's 'token_uri' is not a valid URL";
  const keyId = nonEmpty(json.private_key_id);
  const project = nonEmpty(json.project_id);
  return {
    email,
    privateKey: new Secret(key),
    tokenUrl,
    ...(keyId === undefined ? {} : { keyId }),
    ...(project === undefined ? {} : { project }),
  };
}
