// Small ways to write a call about a task, and to read what an upstream says of it.
import type { VideoImage, VideoState } from "../../canonical/video.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse, unsupported } from "../errors.ts";
import { imageText } from "./images.ts";
import type { VideoProgress } from "./upstream.ts";

export const getCall = (path: string): UpstreamRequest => ({ method: "GET", path, body: {} });
export const deleteCall = (path: string): UpstreamRequest => ({ method: "DELETE", path, body: {} });

/** States by the upstream's words, in lower case. */
export type States = { readonly [word: string]: VideoState };

/** The state that a word means; a word that is not in the table is told as unknown. */
export function stateOf(word: unknown, states: States): Pick<VideoProgress, "state" | "unknownWord"> {
  const said = String(word ?? "");
  const lower = said.toLowerCase();
  const state = Object.hasOwn(states, lower) ? states[lower] : undefined;
  return state === undefined ? { unknownWord: said.slice(0, 64) } : { state };
}

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A number, also where it came as text; undefined for anything else, and for nothing at all. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A number above zero, as lengths and sides are. */
export function sizeNumber(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 ? number : undefined;
}

/** The id that an answer gives its task. Throws `upstream_protocol_error` where there is none. */
export function requireId(body: unknown, name: string): string {
  if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
  const id = body[name];
  if (typeof id === "number" || (typeof id === "string" && id !== "")) return String(id);
  throw invalidUpstreamResponse("the response has no task ID");
}

/** The members that are there: what is laid over something else must not take anything away. */
export function known<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}

/** The image as an address or a data URI. Throws `unsupported_parameter` for files that a provider keeps. */
export function imageValue({ source, path }: VideoImage): string {
  if (source.kind === "file") throw unsupported(path, "this model accepts images as URLs or as bytes.");
  return imageText(source);
}
