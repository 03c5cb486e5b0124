// Field tables: one row for each canonical field of an operation describes how a wire format carries it, or that it
// does not.
import type { TProperties, TSchema } from "typebox";
import type { FieldName, FieldValue, RequestField, RequestFields } from "../canonical/request-field.ts";
import type { Loss, UnmappedField } from "../canonical/warning.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { Warnings } from "./shared/warnings.ts";
import type { UploadedFile } from "./upstream-request.ts";

/** What rows may read when a request is rendered. Dialects add the model's capabilities and computed values. */
export interface RenderSetting<R> {
  readonly request: R;
  readonly warnings: Warnings;
}

/** A client's body during parsing, and the members of it that have no canonical field. */
export interface Reading {
  readonly wire: JsonObject;
  /** Files of a form. */
  readonly files: readonly UploadedFile[];
  readonly unmapped: UnmappedField[];
}

/** The values that a model accepts. Others are replaced by the nearest one, with a warning. */
export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** How clients of the format send a field. Absent from a row: clients do not send it, or the format has no clients. */
export interface ClientHalf<R, Value> {
  /** Schema of the member at `path`. */
  readonly schema?: TSchema | undefined;
  /** Additional members that are read for this field, such as older names. */
  readonly also?: TProperties;
  /** Converts the member at `path`. Absent: the value is used as it is. */
  parse?(value: Json, reading: Reading): Value | undefined;
  /** Reads several members, or several fields at once. */
  parseMembers?(reading: Reading): Partial<RequestFields<R>>;
}

/** How a field is sent to upstreams of the format. */
export interface UpstreamHalf<S, Value> {
  /** The limits of the requested model: a loss, or the values that it accepts. */
  limit?(setting: S, value: Value): Loss | Bounds | undefined;
  /** The member at `path`; undefined where nothing has to be sent. Absent: the value is sent as it is. */
  render?(value: Value, setting: S): Json | undefined;
  /** Members of the body that are computed whether or not the field is given. */
  renderMembers?(setting: S): JsonObject;
}

/** A field that the format has; `path` is its member, with parents separated by dots. */
interface WireField<R, Value, S> extends ClientHalf<R, Value>, UpstreamHalf<S, Value> {
  readonly path: string;
}

/** A field that the functions of another row carry. */
interface CarriedField<R> {
  readonly path: string;
  readonly schema?: TSchema | undefined;
  readonly also?: TProperties;
  readonly carriedBy: RequestField<R>;
}

/** How a format carries one field; a bare loss where it does not. */
type FieldRow<R, Field extends RequestField<R>, S> = WireField<R, FieldValue<R, Field>, S> | CarriedField<R> | Loss;

/** A row for every canonical field of a request. */
export type FieldTable<R, S = RenderSetting<R>> = { readonly [Field in RequestField<R>]-?: FieldRow<R, Field, S> };

/** A member of a client's wire that has no canonical field, or not for every value. */
export interface WireMember {
  readonly schema?: TSchema | undefined;
  /**
   * What happens to it where the upstream uses another format; null when nothing is lost. Absent: dropped with a
   * warning.
   */
  readonly lost?: Loss["rule"] | null | ((value: Json, wire: JsonObject) => Loss["rule"] | null);
  /** An empty object has a meaning too. */
  readonly countsWhenEmpty?: true;
}

/**
 * Such members by path. `parent.*` covers the members of a parent without an entry of their own. A parent of members
 * has an entry for its schema only.
 */
export type WireMembers = { readonly [path: string]: WireMember };

export const rejected = (reason: string): Loss => ({ rule: "reject", reason });
export const dropped = (reason: string): Loss => ({ rule: "warn", reason });
export const ignored = (reason: string): Loss => ({ rule: "ignore", reason });

/** A row without its types: the typed table has already checked that field, value and functions match. */
export interface UntypedField extends ClientHalf<unknown, unknown>, UpstreamHalf<unknown, unknown> {
  readonly path: string;
  readonly carriedBy?: string;
}
/** A table without its types. */
export type UntypedTable = { readonly [field: string]: unknown };

/** The rows of a table, without their types. */
export function rowsOf(table: UntypedTable): [field: FieldName, row: UntypedField | Loss][] {
  return Object.entries(table) as [FieldName, UntypedField | Loss][];
}

/** Whether a row declares that the format does not have the field. */
export function isLossRow(row: UntypedField | Loss): row is Loss {
  return "rule" in row;
}

/** The path of each canonical field on the wire of a table; fields that it lacks are named by their canonical name. */
export function fieldPaths(table: UntypedTable): (field: FieldName) => string {
  const paths = new Map(rowsOf(table).map(([field, row]) => [field, isLossRow(row) ? field : row.path]));
  return (field) => paths.get(field) ?? field;
}
