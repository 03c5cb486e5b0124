// Query parameters of an admin request: filters by their schema, page size, and cursors.
import type { TObject } from "typebox";
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ListVerb, PageRequest, Position } from "./resource.ts";

const defaultLimit = 20;
export const maxLimit = 100;
const maxCursorChars = 1_000;

const invalid = (param: string, message: string): GatewayError => new GatewayError("invalid_value", message, { param });

/** Throws status 400 for an unknown parameter. */
export function refuseUnknown(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys()) {
    if (names.includes(name)) continue;
    const allowed = names.length === 0 ? "This path has no parameters." : `Use ${names.join(", ")}.`;
    const shown = name.slice(0, 100);
    throw new GatewayError("invalid_value", `Unknown parameter: '${shown}'. ${allowed}`, {
      param: shown || null,
      code: "unknown_parameter",
    });
  }
}

interface Shape {
  readonly type?: string;
}

/** The text of a parameter as the type of its schema. An invalid text stays a text, which the schema refuses. */
function parameterValue({ type }: Shape, texts: readonly string[]): unknown {
  const [text = ""] = texts;
  if (type === "array") return texts.flatMap((each) => each.split(",")).filter((each) => each !== "");
  if (type === "integer" && /^-?\d{1,16}$/.test(text)) return Number(text);
  if (type === "boolean" && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

function limitOf(text: string | null): number {
  if (text === null) return defaultLimit;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw invalid("limit", `Invalid 'limit': it must be an integer from 1 to ${maxLimit}.`);
}

/** Opaque to clients. It contains the resource and the filters, so that it is only accepted by the same list. */
export function writeCursor(resource: string, filters: JsonObject, position: Position): string {
  return Buffer.from(JSON.stringify([marksOf(resource, filters), ...position])).toString("base64url");
}

function marksOf(resource: string, filters: JsonObject): string {
  return Bun.hash(JSON.stringify([resource, Object.entries(filters).sort()])).toString(36);
}

function readCursor(text: string, resource: string, filters: JsonObject, example: Position): Position {
  const refused = invalid("cursor", "Invalid 'cursor': send 'next_cursor' of a page with the same filters.");
  if (text.length > maxCursorChars) throw refused;
  const parts = parsed(text);
  if (!Array.isArray(parts)) throw refused;
  const [marks, ...position]: unknown[] = parts;
  const fits = position.length === example.length && position.every((part, at) => isLike(part, example[at]));
  if (marks !== marksOf(resource, filters) || !fits) throw refused;
  return position as Position;
}

function isLike(part: unknown, example: unknown): boolean {
  return typeof part === typeof example && (typeof part !== "number" || Number.isSafeInteger(part));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    // The caller refuses anything but a list.
    return null;
  }
}

export type Validate = (schema: TObject, value: JsonObject) => void;

/** The validated filters, and the position and size of the page. */
export function readPage(
  query: URLSearchParams,
  resource: string,
  { filters: schema, position }: Pick<ListVerb, "filters" | "position">,
  validate: Validate,
): PageRequest<JsonObject> {
  const names = Object.keys(schema.properties);
  refuseUnknown(query, [...names, "limit", "cursor"]);
  const given = names.flatMap((name) => {
    const texts = query.getAll(name);
    const shape = schema.properties[name] as Shape;
    if (texts.length > 1 && shape.type !== "array") throw invalid(name, `Invalid '${name}': it is repeated.`);
    return texts.length === 0 ? [] : [[name, parameterValue(shape, texts)] as const];
  });
  const filters = Object.fromEntries(given) as JsonObject;
  validate(schema, filters);
  const cursor = query.get("cursor");
  const after = cursor === null ? null : readCursor(cursor, resource, filters, position);
  return { filters, limit: limitOf(query.get("limit")), after };
}

/** A time that passed its schema, in Unix milliseconds. */
export function msOf(param: string, text: string): number;
export function msOf(param: string, text: string | undefined): number | undefined;
export function msOf(param: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  // The runtime accepts the 31st of every month.
  const isDay = new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`)).toJSON()?.slice(0, 10) === text.slice(0, 10);
  if (Number.isNaN(ms) || !isDay)
    throw invalid(param, `Invalid '${param}': it is not a time such as 2026-01-31T12:00:00Z.`);
  return ms;
}
