// Field tables: one row for each canonical field of an operation says how a wire format carries it, or that it does not.
import type { TProperties, TSchema } from "typebox";
import type { FieldName, FieldValue, RequestField, RequestFields } from "../canonical/request-field.ts";
import type { Loss, UnmappedField } from "../canonical/warning.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { Warnings } from "./shared/warnings.ts";
import type { UploadedFile } from "./upstream-request.ts";

/** What rows may look at when a request is rendered; dialects add the model's capabilities and what they computed. */
export interface RenderSetting<R> {
  readonly request: R;
  readonly warnings: Warnings;
}

/** A client's body that is being read, and what of it no canonical field holds. */
export interface Reading {
  readonly wire: JsonObject;
  /** Files of a form. */
  readonly files: readonly UploadedFile[];
  readonly unmapped: UnmappedField[];
}

/** The values that a model accepts; others are sent as the nearest of them, with a warning. */
export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** How clients of the format say a field. Absent from a row: no client of it does, or no client speaks the format. */
export interface ClientHalf<R, Value> {
  /** Schema of the member at `path`. */
  readonly schema?: TSchema | undefined;
  /** More members that are read for this field, such as older names. */
  readonly also?: TProperties;
  /** From the member at `path`, where it is given. Absent: the value as it is. */
  parse?(value: Json, reading: Reading): Value | undefined;
  /** From several members, and for several fields at once. */
  parseMembers?(reading: Reading): Partial<RequestFields<R>>;
}

/** How upstreams of the format are asked for a field. */
export interface UpstreamHalf<S, Value> {
  /** What the model of this request does not accept: then the value is lost, or sent as the nearest that it accepts. */
  limit?(setting: S, value: Value): Loss | Bounds | undefined;
  /** The member at `path`; undefined where nothing has to be sent. Absent: the value as it is. */
  render?(value: Value, setting: S): Json | undefined;
  /** Members of the body, computed whether or not the field is given. */
  renderMembers?(setting: S): JsonObject;
}

/** A field that the format has; `path` is the member that holds it, its parents before it, separated by dots. */
export interface WireField<R, Value, S> extends ClientHalf<R, Value>, UpstreamHalf<S, Value> {
  readonly path: string;
}

/** A field that another row's functions carry along. */
export interface CarriedField<R> {
  readonly path: string;
  readonly schema?: TSchema | undefined;
  readonly also?: TProperties;
  readonly carriedBy: RequestField<R>;
}

/** How a format carries one field; a bare loss where it does not. */
export type FieldRow<R, Field extends RequestField<R>, S> =
  | WireField<R, FieldValue<R, Field>, S>
  | CarriedField<R>
  | Loss;

/** A row for every canonical field of a request. */
export type FieldTable<R, S = RenderSetting<R>> = { readonly [Field in RequestField<R>]-?: FieldRow<R, Field, S> };

/** A member of a client's wire that no canonical field holds, or not with every value. */
export interface WireMember {
  readonly schema?: TSchema | undefined;
  /** What becomes of it where the upstream speaks another format; null where nothing is lost. Absent: left out with a warning. */
  readonly lost?: Loss["rule"] | null | ((value: Json, wire: JsonObject) => Loss["rule"] | null);
  /** An empty object asks for something too. */
  readonly countsWhenEmpty?: true;
}

/**
 * Such members by their path; `parent.*` is for those of a parent that have no entry. A parent of members has an entry
 * for its schema only.
 */
export type WireMembers = { readonly [path: string]: WireMember };

export const rejected = (reason: string): Loss => ({ rule: "reject", reason });
export const dropped = (reason: string): Loss => ({ rule: "warn", reason });
export const ignored = (reason: string): Loss => ({ rule: "ignore", reason });

/** A row without its types: the table has proved that field, value and functions belong together. */
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

/** True for a row that says that the format does not have the field. */
export function isLossRow(row: UntypedField | Loss): row is Loss {
  return "rule" in row;
}

/** Where each canonical field is on the wire of a table; a field that it does not have goes by its canonical name. */
export function fieldPaths(table: UntypedTable): (field: FieldName) => string {
  const paths = new Map(rowsOf(table).map(([field, row]) => [field, isLossRow(row) ? field : row.path]));
  return (field) => paths.get(field) ?? field;
}
