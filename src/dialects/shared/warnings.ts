// Warnings and refusals: the only way in which a dialect reports what it cannot render unchanged.
import type { FieldName } from "../../canonical/request-field.ts";
import type { Loss, Warning } from "../../canonical/warning.ts";
import type { RenderContext } from "../context.ts";
import { unsupported } from "../errors.ts";

/** The context of one rendering and its warnings. */
export interface Warnings {
  readonly context: RenderContext;
  readonly warnings: Warning[];
}

/** An empty list of warnings. */
export function newWarnings(context: RenderContext): Warnings {
  return { context, warnings: [] };
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

/** Applies the rule for something that cannot be sent. Throws `unsupported_parameter` where it must not be left out. */
export function lose(warnings: Warnings, { rule, reason }: Loss, path: string): void {
  if (rule === "reject") throw unsupported(path, reason ?? "this content type is not supported");
  if (rule === "warn") warn(warnings, "dropped", path);
}
