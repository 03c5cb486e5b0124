// Hides secrets in the configuration for output, by field name and by value.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Environment } from "./environment.ts";

const mask = "***";
/** Fields and variables whose values are secret. */
const secretNames = /credential|secret|token$|password|passwd|service_account|access_key|api_?key|_key$|authorization/i;
/** Shorter values of variables are words that may occur anywhere. */
const shortestSecret = 6;

/** A URL without its password and without the values of its query. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  if (url.password !== "") url.password = mask;
  for (const name of [...url.searchParams.keys()])
    if (/key/i.test(name) || secretNames.test(name)) url.searchParams.set(name, mask);
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
export function withoutSecrets(value: Json, environment: Environment): Json {
  const secrets = secretValues(environment);
  const shownText = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), shownUrl(text));
  const shown = (inner: Json, isSecret: boolean): Json => {
    if (typeof inner === "string") return isSecret ? mask : shownText(inner);
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
