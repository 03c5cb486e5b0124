// Removes a provider's credential from its responses, in one place, before they are parsed, stored, logged or
// forwarded.
import { concealed, type GatewayError, toGatewayError } from "../canonical/error.ts";
import type { SseChunk } from "../lib/sse.ts";
import type { HttpResponse } from "./transport/response.ts";

/** Removes the credentials of one provider from its responses. */
export interface Redactor {
  /** For a whole body, or a part that ends between frames. The same bytes when nothing is hidden. */
  bytes(bytes: Uint8Array, isRefusal: boolean): Uint8Array;
  /** For frames of a stream. The same object when nothing is hidden. */
  cut(chunk: SseChunk): SseChunk;
  /** For an error's text: also hides short credentials and the provider's host. */
  text(text: string): string;
  /** Hides a token that was issued for this provider later. */
  add(token: string): void;
}

/** In errors; shorter credentials occur in ordinary text. */
const shortestHidden = 6;
/** In successful replies, where `ollama` and `none` are words and not only credentials. */
const shortestInReplies = 16;
const mostTokens = 16;
const mask = "[hidden]";
const maskBytes = Buffer.from(mask);

/** A text as it is written in JSON, in JSON with escaped slashes, and in a URL. */
function spellingsOf(word: string): string[] {
  const json = JSON.stringify(word).slice(1, -1);
  return [...new Set([word, json, json.replaceAll("/", "\\/"), encodeURIComponent(word)])];
}

/** Whether a text is always a credential, wherever it occurs. */
export const isStrong = (word: string): boolean => word.length >= shortestInReplies && /\d/.test(word);

/** Longer ones first, because one may be a prefix of another. */
const byLength = (left: string, right: string): number => right.length - left.length;

function replaced(bytes: Uint8Array, needle: Buffer): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = text.indexOf(needle);
  if (at < 0) return bytes;
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (; at >= 0; at = text.indexOf(needle, from)) {
    pieces.push(text.subarray(from, at), maskBytes);
    from = at + needle.length;
  }
  return Buffer.concat([...pieces, text.subarray(from)]);
}

const without = (bytes: Uint8Array, needles: readonly Buffer[]): Uint8Array => needles.reduce(replaced, bytes);

/** For credentials, and for a host that is only hidden in errors. */
export function redactorOf(credentials: readonly string[], host: string): Redactor {
  const tokens: string[] = [];
  let words: string[] = [];
  let inReplies: Buffer[] = [];
  let inRefusals: Buffer[] = [];
  const prepare = (): void => {
    const secrets = [...credentials, ...tokens].filter(({ length }) => length >= shortestHidden);
    const spelled = secrets.flatMap(spellingsOf).sort(byLength);
    words = [...spelled, host].filter(({ length }) => length >= shortestHidden);
    inReplies = secrets
      .filter(isStrong)
      .flatMap(spellingsOf)
      .sort(byLength)
      .map((word) => Buffer.from(word));
    inRefusals = words.map((word) => Buffer.from(word));
  };
  prepare();
  const text = (given: string): string => words.reduce((safe, word) => safe.replaceAll(word, mask), given);
  return {
    text,
    bytes: (bytes, isRefusal) => without(bytes, isRefusal ? inRefusals : inReplies),
    cut(chunk) {
      const bytes = without(chunk.bytes, inReplies);
      if (bytes === chunk.bytes) return chunk;
      const hide = (raw: string): string => inReplies.reduce((safe, word) => safe.replaceAll(String(word), mask), raw);
      return { bytes, raws: chunk.raws.map(hide) };
    },
    add(token) {
      if (tokens.includes(token)) return;
      tokens.push(token);
      if (tokens.length > mostTokens) tokens.shift();
      prepare();
    },
  };
}

/** A provider's response carries its redactor, so that no reader can forget it. */
type ProviderResponse = HttpResponse & { redactor?: Redactor };

/** Attaches a redactor to a provider's response. */
export function withRedactor(response: ProviderResponse, redactor: Redactor): HttpResponse {
  response.redactor = redactor;
  return response;
}

/** Undefined for responses that do not come from a provider. */
export const redactorFor = (response: ProviderResponse): Redactor | undefined => response.redactor;

/** Removes what only the provider and the gateway may see. */
export type Conceal = (text: string) => string;

interface Redacting {
  readonly dispatch: { readonly form: string; readonly redactor?: Redactor };
}

/** With the credentials of all of these. */
export function concealerOf(providers: readonly Redacting[]): Conceal {
  const redactors = providers.flatMap(({ dispatch }) => dispatch.redactor ?? []);
  return (text) => redactors.reduce((rest, redactor) => redactor.text(rest), text);
}

/** The redacted error for clients and logs, from anything thrown during a provider's call. */
export function safeError(thrown: unknown, { dispatch: { redactor } }: Redacting): GatewayError {
  const error = toGatewayError(thrown);
  return redactor === undefined ? error : concealed(error, (text) => redactor.text(text));
}
