// What a rendering could not say unchanged, gathered once for each field.
import type { FieldName, Warning } from "../../canonical/warning.ts";
import type { RenderContext } from "../dialect.ts";

/** The context of one rendering and the warnings it has gathered. */
export interface Notes {
  readonly context: RenderContext;
  readonly warnings: Warning[];
}

/** Records a loss under the client's own path, once. */
export function note(notes: Notes, code: Warning["code"], path: string): void {
  if (!notes.warnings.some((known) => known.code === code && known.path === path)) notes.warnings.push({ code, path });
}

/** Records a loss of a canonical field. */
export function noteField(notes: Notes, code: Warning["code"], field: FieldName): void {
  note(notes, code, notes.context.fieldPath(field));
}
