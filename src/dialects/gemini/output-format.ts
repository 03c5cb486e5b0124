// The output format: text, JSON, JSON by schema, or an enum.
import type { ChatRequest, OutputFormat } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import type { SchemaInSubset } from "../shared/json-schema-subset.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { enumType, readEnum } from "./enum-output.ts";
import { inJsonSubset } from "./json-schema.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { inOpenApiSubset, readSchema } from "./openapi-schema.ts";

/** The form of the output that three members describe; `extras` receives a form that no other format has. */
export function readFormat(config: JsonObject, extras: UnmappedField[]): { readonly format?: OutputFormat } {
  const { responseMimeType: type, responseJsonSchema: json, responseSchema: older } = config;
  const choice =
    type === enumType ? readEnum(isObject(json) ? json : isObject(older) ? readSchema(older) : null) : null;
  if (choice !== null) return { format: choice };
  if (typeof type === "string" && type !== "" && type !== "text/plain" && type !== "application/json") {
    extras.push({ path: "generationConfig.responseMimeType", rule: "reject" });
    return {};
  }
  if (isObject(json)) return { format: { type: "schema", schema: json } };
  if (isObject(older)) return { format: { type: "schema", schema: readSchema(older) } };
  if (type === "application/json") return { format: { type: "json" } };
  return type === "text/plain" ? { format: { type: "text" } } : {};
}

/** Structure that the format does not support is refused where the client requires it, else dropped with a warning. */
function checkSchema({ exact, lost }: SchemaInSubset, strict: boolean | undefined, warnings: Warnings): void {
  if (lost.length > 0 && strict === true) {
    throw unsupported(warnings.context.fieldPath("format"), `the schema uses unsupported keywords: ${lost.join(", ")}`);
  }
  if (!exact) warnField(warnings, "approximated", "format");
}

/** The members of `generationConfig` that describe the form of the output. */
export function renderFormat(request: ChatRequest, limits: ModelLimits, warnings: Warnings): JsonObject {
  const { format } = request;
  if (format === undefined) return {};
  if (format.type === "text") return { responseMimeType: "text/plain" };
  if (request.tools.length > 0 && !limits.jsonWithTools) {
    throw unsupported(
      warnings.context.fieldPath("format"),
      "this model does not support JSON mode in combination with tools",
    );
  }
  if (format.type === "json") return { responseMimeType: "application/json" };
  const cleaned = limits.jsonSchema ? inJsonSubset(format.schema) : inOpenApiSubset(format.schema);
  checkSchema(cleaned, format.strict, warnings);
  const member = limits.jsonSchema ? "responseJsonSchema" : "responseSchema";
  return { responseMimeType: "application/json", [member]: cleaned.schema };
}
