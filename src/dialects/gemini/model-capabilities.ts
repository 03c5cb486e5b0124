// What the model families of this dialect accept, as a history of changes by version.
import type { ModelQuery } from "../shared/model-table.ts";
import { lookUpVersion, type VersionTable } from "../shared/text-model-table.ts";

export type Level = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

export interface ModelLimits {
  /** How the amount of thinking is set: not at all, in tokens, as a level, or either way. */
  readonly thinking: "none" | "budget" | "level" | "either";
  /** Bounds of a budget other than zero, in tokens. */
  readonly budget: { readonly min: number; readonly max: number };
  /** A budget of zero turns thinking off. */
  readonly canRest: boolean;
  /** From the lowest to the highest. */
  readonly levels: readonly Level[];
  /** Calls carry ids, and results must repeat them. */
  readonly callIds: boolean;
  /** Calls in the history must carry a signature. */
  readonly proof: boolean;
  /** A function response may contain media. */
  readonly resultMedia: boolean;
  /** Supports JSON output together with function tools. */
  readonly jsonWithTools: boolean;
  readonly penalties: boolean;
  readonly maxChoices: number;
  /** Accepts JSON Schema; older models accept a subset of OpenAPI's. */
  readonly jsonSchema: boolean;
}

/** A model without a row: the client's values are sent in the form that the client used. */
const unlisted: ModelLimits = {
  thinking: "either",
  budget: { min: 0, max: 32_768 },
  canRest: true,
  levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
  callIds: true,
  proof: true,
  resultMedia: true,
  jsonWithTools: true,
  penalties: true,
  maxChoices: 8,
  jsonSchema: true,
};

const page = (name: string) => ({ source: `https://ai.google.dev/gemini-api/docs/${name}`, checkedOn: "2026-11-22" });
const isLevel = (word: string): word is Level => (unlisted.levels as readonly string[]).includes(word);

const versioned = /gemini-(\d{1,2})(?:\.(\d{1,2}))?(?=-|$|@)/;

export const geminiModels: VersionTable<ModelLimits> = {
  versionOf(model) {
    const found = versioned.exec(model);
    return found === null ? null : Number(found[1]) * 100 + Number(found[2] ?? 0);
  },
  unlisted,
  rows: [
    { since: 0, facts: { thinking: "none" }, ...page("thinking") },
    { since: 0, facts: { callIds: false, resultMedia: false }, ...page("function-calling") },
    { since: 0, facts: { jsonWithTools: false, jsonSchema: false }, ...page("structured-output") },
    { since: 0, facts: { proof: false }, ...page("thought-signatures") },
    { since: 205, facts: { thinking: "budget", budget: { min: 1, max: 24_576 } }, ...page("thinking") },
    { since: 205, facts: { penalties: false }, ...page("models") },
    { since: 205, facts: { jsonSchema: true }, ...page("structured-output") },
    { since: 205, family: /lite/, facts: { budget: { min: 512, max: 24_576 } }, ...page("thinking") },
    { since: 205, family: /pro/, facts: { budget: { min: 128, max: 32_768 }, canRest: false }, ...page("thinking") },
    { since: 300, facts: { thinking: "level", canRest: false }, ...page("gemini-3") },
    { since: 300, facts: { penalties: true, maxChoices: 1 }, ...page("gemini-3") },
    { since: 300, facts: { callIds: true, resultMedia: true }, ...page("function-calling") },
    { since: 300, facts: { proof: true }, ...page("thought-signatures") },
    { since: 300, facts: { jsonWithTools: true }, ...page("structured-output") },
    { since: 300, family: /pro/, facts: { levels: ["LOW", "HIGH"] }, ...page("thinking") },
    { since: 301, family: /pro/, facts: { levels: ["LOW", "MEDIUM", "HIGH"] }, ...page("thinking") },
    { since: 307, family: /flash/, facts: { levels: ["LOW", "MEDIUM", "HIGH"] }, ...page("thinking") },
  ],
  declared: ({ reasoning, efforts }) => ({
    thinking: reasoning === "effort" ? "level" : reasoning,
    levels: efforts?.map((effort) => effort.toUpperCase()).filter(isLevel),
  }),
};

/** The limits of the model with this upstream name. */
export const limitsOf = (query: ModelQuery): ModelLimits => lookUpVersion(geminiModels, query);
