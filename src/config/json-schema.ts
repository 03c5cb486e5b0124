// The JSON Schema of turnpike.yaml, for editors.
import { configSchema } from "./schema.ts";

/** The comment in the file by which editors find the schema. */
export const schemaComment = (path: string): string => `# yaml-language-server: $schema=${path}`;

/** As a plain object: the schema that validates the file at the start. */
export function configJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "turnpike.yaml",
    description: "Configuration of a Turnpike gateway.",
    ...JSON.parse(JSON.stringify(configSchema)),
  };
}
