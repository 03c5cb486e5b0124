// What a rendering could not say unchanged, gathered once for each field.
import type { FieldName, Warning } from "../../canonical/warning.ts";
import type { RenderContext } from "../dialect.ts";

/** The context of one rendering and the warnings it has gathered. */
export interface Warnings {
  readonly context: RenderContext;
  readonly warnings: Warning[];
}

/** Records a loss under the client's own path, once. */
export function warn(warnings: Warnings, code: Warning["code"], path: string): void {
  if (!warnings.warnings.some((known) => known.code === code && known.path === path))
    warnings.warnings.push({ code, path });
}

/** Records a loss of a canonical field. */
export function warnField(warnings: Warnings, code: Warning["code"], field: FieldName): void {
  warn(warnings, code, warnings.context.fieldPath(field));
}
