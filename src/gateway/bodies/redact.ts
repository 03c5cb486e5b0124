// Removes secrets, and what the operator configures, from a body before it is written. Pure.
import type { RedactionRules } from "./types.ts";

/** Members that always contain a secret. */
const secretFields = [
  ...["authorization", "proxy-authorization", "api_key", "apikey", "api-key", "x-api-key", "x-goog-api-key"],
  ...["password", "secret", "client_secret", "access_token", "refresh_token", "secret_access_key", "private_key"],
];

/** Keys of well-known vendors and of this gateway, and tokens after `Bearer`. */
const secretPatterns = [
  /\b(?:sk|pk|rk|tp|tps|gsk|xai|hf|r8|pplx|nvapi|key)[-_][A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bgh[opsur]_[A-Za-z0-9]{30,}/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

const mask = "[redacted]";

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");

/** Also in JSON inside a JSON string, such as arguments of calls, and in a body that was cut within the value. */
function fieldPattern(names: readonly string[]): RegExp {
  const name = names.map(escaped).join("|");
  return new RegExp(
    `((\\\\*)"(?:${name})\\2"\\s*:\\s*)(?:\\2"(?:(?!\\2")[\\s\\S])*(?:\\2"|$)|[-\\d.eE+]+|true|false)`,
    "gi",
  );
}

/** The text without what must not be written. The same rules are compiled once. */
export function redactorFor({ fields, patterns }: RedactionRules): (text: string) => string {
  const field = fieldPattern([...secretFields, ...fields]);
  const all = [...secretPatterns, ...patterns.map((pattern) => new RegExp(pattern, "g"))];
  return (text) =>
    all.reduce(
      (left, pattern) => left.replace(pattern, mask),
      text.replace(field, (_all, head: string, quote: string) => `${head}${quote}"${mask}${quote}"`),
    );
}
