// Hides secrets in the configuration for output, by field name and by value.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Environment } from "./environment.ts";

const mask = "***";
/** Fields and variables whose values are secret. */
const secretNames = /credential|secret|token$|password|passwd|service_account|access_key|api_?key|_key$|authorization/i;
/** Shorter values of variables are words that may occur anywhere. */
const shortestSecret = 6;

/** What is shown in place of a secret. */
export type Mark = (secret: string) => string;

const markPattern = /\*{3}[0-9a-f]{16}/g;

/** Marks that are the same for the same secret under one key, so that a change is seen and the secret is not. */
export function secretMarks(key: Uint8Array): Mark {
  return (secret) => `${mask}${new Bun.CryptoHasher("sha256", key).update(secret).digest("hex").slice(0, 16)}`;
}

/** A copy of the value with `***` for each mark. */
export function withoutMarks(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll(markPattern, mask)) as Json;
}

/** A URL without its password and without the values of its query. */
function shownUrl(text: string, mark: Mark): string {
  const url = URL.parse(text);
  if (url === null || !/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  if (url.password !== "") url.password = mark(url.password);
  for (const name of [...url.searchParams.keys()])
    if (/key/i.test(name) || secretNames.test(name)) url.searchParams.set(name, mark(url.searchParams.get(name) ?? ""));
  return url.password === "" && url.search === "" ? text : url.href;
}

/** The values of variables with secret names, longest first. */
function secretValues(environment: Environment): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) => (secretNames.test(name) && value.length >= shortestSecret ? [value] : []))
    .sort((left, right) => right.length - left.length);
}

/**
 * A copy of the value with secrets replaced by `***`: in secret fields, in all headers, and wherever a secret
 * variable's value occurs.
 */
export function withoutSecrets(value: Json, environment: Environment, mark: Mark = () => mask): Json {
  const secrets = secretValues(environment);
  const shownText = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, mark(secret)), shownUrl(text, mark));
  const shown = (inner: Json, isSecret: boolean): Json => {
    if (typeof inner === "string") return isSecret ? mark(inner) : shownText(inner);
    if (Array.isArray(inner)) return inner.map((item) => shown(item, isSecret));
    return isObject(inner) ? shownObject(inner, isSecret) : inner;
  };
  const shownObject = (object: JsonObject, isSecret: boolean): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, inner]) =>
        inner === undefined
          ? []
          : [[name, shown(inner, isSecret || name === "headers" || (secretNames.test(name) && !isObject(inner)))]],
      ),
    );
  return shown(value, false);
}
