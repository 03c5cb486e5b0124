// The upstream half of a field table: renders a canonical request as the members of a body, and records losses.
import type { FieldName } from "../canonical/request-field.ts";
import type { Loss } from "../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { RenderContext, RenderedRequest, UpstreamRequest } from "./dialect.ts";
import { type Bounds, type FieldTable, isLossRow, type RenderSetting, rowsOf } from "./field-table.ts";
import { isAbsent } from "./shared/json-accessors.ts";
import { lose, newWarnings, warnField } from "./shared/warnings.ts";

/** Values that equal the default: not sending them loses nothing. */
const neutral: { readonly [field: string]: Json } = {
  temperature: 1,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  choices: 1,
  speed: 1,
  quality: "auto",
  background: "auto",
  moderation: "auto",
  partialImages: 0,
  watermark: false,
};

/** The value of a field, wherever the request groups it; undefined when it is absent. */
function givenValue(request: object, field: FieldName): Json | undefined {
  const { [field]: own, sampling, options } = request as Record<string, Json | undefined>;
  const value =
    own ?? (isObject(sampling) ? sampling[field] : undefined) ?? (isObject(options) ? options[field] : undefined);
  return isAbsent(value) ? undefined : value;
}

/** Uses the path on the client's wire that the value, or the first of several, carries. */
function loseField(setting: RenderSetting<unknown>, field: FieldName, value: Json, loss: Loss): void {
  if (value === neutral[field]) return;
  const { warnings } = setting;
  const first = Array.isArray(value) ? value[0] : value;
  const own = isObject(first) && typeof first.path === "string" ? first.path : undefined;
  lose(warnings, loss, loss.path ?? own ?? warnings.context.fieldPath(field));
}

function withinBounds(setting: RenderSetting<unknown>, field: FieldName, value: Json, { min, max }: Bounds): Json {
  if (typeof value !== "number") return value;
  const nearest = Math.min(Math.max(value, min ?? value), max ?? Number.POSITIVE_INFINITY);
  if (nearest !== value) warnField(setting.warnings, "approximated", field);
  return nearest;
}

function setMember(body: JsonObject, [name = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  const inner = body[name];
  const holder: JsonObject = isObject(inner) ? inner : {};
  body[name] = holder;
  setMember(holder, rest, value);
}

/** Adds members; objects that several rows contribute to are merged. */
function addMembers(body: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) {
    const present = body[name];
    if (isObject(present) && isObject(value)) addMembers(present, value);
    else body[name] = value;
  }
}

type RenderRow = (setting: RenderSetting<unknown>, body: JsonObject) => void;

function rowRenderer([field, row]: ReturnType<typeof rowsOf>[number]): RenderRow {
  const valueIn = ({ request }: RenderSetting<unknown>) => givenValue(request as object, field);
  if (isLossRow(row)) {
    return (setting) => {
      const value = valueIn(setting);
      if (value !== undefined) loseField(setting, field, value, row);
    };
  }
  if (row.carriedBy !== undefined) return () => undefined;
  const path = row.path.split(".");
  return (setting, body) => {
    const value = valueIn(setting);
    const limit = value === undefined ? {} : (row.limit?.(setting, value) ?? {});
    if (value !== undefined && "rule" in limit) return loseField(setting, field, value, limit);
    if (row.renderMembers !== undefined) {
      addMembers(body, row.renderMembers(setting));
    } else if (value !== undefined) {
      const allowed = withinBounds(setting, field, value, limit as Bounds);
      const member = row.render === undefined ? allowed : row.render(allowed, setting);
      if (member !== undefined) setMember(body, path, member);
    }
  };
}

/** Returns the function that renders every field of a request by its row, in the order of the table. */
export function fieldRenderer<R, S extends RenderSetting<R>>(table: FieldTable<R, S>): (setting: S) => JsonObject {
  const rows = rowsOf(table).map(rowRenderer);
  return (setting) => {
    const body: JsonObject = {};
    for (const render of rows) render(setting, body);
    return body;
  };
}

/** Renders a request by a table of fields; `call` builds the request from the rendered members. */
export function callRenderer<R>(
  table: FieldTable<R>,
  call: (fields: JsonObject, request: R, context: RenderContext) => UpstreamRequest,
): (request: R, context: RenderContext) => RenderedRequest {
  const renderFields = fieldRenderer<R, RenderSetting<R>>(table);
  return (request, context) => {
    const warnings = newWarnings(context);
    return { call: call(renderFields({ request, warnings }), request, context), warnings: warnings.warnings };
  };
}

/** The path of a request, and the members that no field holds. */
export interface RequestFrame<R> {
  path(context: RenderContext, request: R): string;
  members?(context: RenderContext, request: R): JsonObject;
  readonly headers?: NonNullable<UpstreamRequest["headers"]>;
}

/** Renders a request by a table of fields, as a JSON body. */
export function renderer<R>(
  table: FieldTable<R>,
  { path, members, headers }: RequestFrame<R>,
): (request: R, context: RenderContext) => RenderedRequest {
  return callRenderer(table, (fields, request, context) => ({
    path: path(context, request),
    body: { ...members?.(context, request), ...fields },
    ...(headers === undefined ? {} : { headers }),
  }));
}
