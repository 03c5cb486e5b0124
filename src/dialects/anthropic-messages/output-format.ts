// The output format: free text, JSON by instruction, or JSON by schema.

import type { OutputFormat } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { inSubset } from "./json-schema.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { emulatesSchemas } from "./structured-output-tool.ts";
import { isAbsent, requiredObject } from "./wire-members.ts";

/** `output_config.format`, or the older `output_format`. */
export function readFormat(wire: JsonObject, extras: UnmappedField[]): OutputFormat | undefined {
  const config = wire["output_config"];
  const newer = isObject(config) ? config["format"] : undefined;
  const [format, path] = isAbsent(newer) ? [wire["output_format"], "output_format"] : [newer, "output_config.format"];
  if (!isObject(format) || isAbsent(format)) return undefined;
  if (format["type"] === "json_schema") return { type: "schema", schema: requiredObject(format, "schema", path) };
  extras.push({ path: `${path}.type`, rule: "reject" });
  return undefined;
}

/** The instruction for JSON without a schema, because the API has no setting for it. */
export const jsonInstruction = "Answer with one valid JSON value and nothing else: no prose, no Markdown fence.";

/** The `format` of output_config; undefined when none is needed. */
export function renderFormat(format: OutputFormat, limits: ModelLimits, warnings: Warnings): JsonObject | undefined {
  const { context } = warnings;
  if (format.type === "text") return undefined;
  if (format.type === "json") {
    warnField(warnings, "approximated", "format");
    return undefined;
  }
  if (emulatesSchemas(limits)) return undefined;
  if (!limits.outputSchema)
    throw unsupported(context.fieldPath("format"), "this model does not support structured output");
  const { schema, exact, lost } = inSubset(format.schema);
  if (lost.includes("$ref") || (lost.length > 0 && format.strict === true)) {
    throw unsupported(context.fieldPath("format"), `the schema uses unsupported keywords: ${lost.join(", ")}`);
  }
  if (!exact) warnField(warnings, "approximated", "format");
  return { type: "json_schema", schema };
}
