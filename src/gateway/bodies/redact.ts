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

/** A member and its colon. Its quotes have backslashes in JSON that is inside a JSON string, such as arguments of calls. */
function fieldPattern(names: readonly string[]): RegExp {
  return new RegExp(String.raw`(\\*)"(?:${names.map(escaped).join("|")})\1"\s*:\s*`, "gi");
}

const plainValue = /[-\d.eE+]+|true|false/y;
const backslash = "\\".charCodeAt(0);

/**
 * The end of a string whose quotes have so many backslashes: one with more is part of it. A body may be cut within the
 * value.
 */
function endOfString(text: string, from: number, backslashes: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && text.charCodeAt(before - 1) === backslash) before--;
    if ((at - before) % (2 * (backslashes + 1)) === backslashes) return at + 1;
  }
  return text.length;
}

/** The end of the value at this place; the place itself where it is neither text nor number nor boolean. */
function endOfValue(text: string, at: number, quote: string): number {
  if (text.startsWith(`${quote}"`, at)) return endOfString(text, at + quote.length + 1, quote.length);
  plainValue.lastIndex = at;
  return at + (plainValue.exec(text)?.[0].length ?? 0);
}

/** By places, because a value can be too long for a pattern. */
function withoutFields(text: string, field: RegExp): string {
  let left = "";
  let from = 0;
  field.lastIndex = 0;
  for (let found = field.exec(text); found !== null; found = field.exec(text)) {
    const [head, quote = ""] = found;
    const at = found.index + head.length;
    const end = endOfValue(text, at, quote);
    if (end === at) continue;
    left += `${text.slice(from, at)}${quote}"${mask}${quote}"`;
    from = end;
    field.lastIndex = end;
  }
  return left + text.slice(from);
}

/** The text without what must not be written. The same rules are compiled once. */
export function redactorFor({ fields, patterns }: RedactionRules): (text: string) => string {
  const field = fieldPattern([...secretFields, ...fields]);
  const all = [...secretPatterns, ...patterns.map((pattern) => new RegExp(pattern, "g"))];
  return (text) => all.reduce((left, pattern) => left.replace(pattern, mask), withoutFields(text, field));
}
