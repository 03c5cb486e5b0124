// What the families of models behind this dialect accept, as a history of changes by version.

export type Level = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

export interface ModelLimits {
  /** How an amount of thinking is said: not at all, in tokens, as a level, or either way. */
  readonly thinking: "none" | "budget" | "level" | "either";
  /** Bounds of a budget other than zero, in tokens. */
  readonly budget: { readonly min: number; readonly max: number };
  /** Zero turns thinking off. */
  readonly canRest: boolean;
  /** From little to much. */
  readonly levels: readonly Level[];
  /** Calls carry ids, and results must repeat them. */
  readonly callIds: boolean;
  /** Calls in the history need a signature. */
  readonly proof: boolean;
  /** A result may hold media. */
  readonly resultMedia: boolean;
  /** JSON output beside function tools. */
  readonly jsonWithTools: boolean;
  readonly penalties: boolean;
  readonly maxChoices: number;
  /** Takes JSON Schema; older ones take a subset of OpenAPI's. */
  readonly jsonSchema: boolean;
}

interface Change {
  /** Major times 100 plus minor: 2.5 is 205. */
  readonly since: number;
  readonly family?: RegExp;
  readonly limits: Partial<ModelLimits>;
}

/** A model that no row knows is taken at its word: what was asked is said in the form that it was asked. */
const unknownModel: ModelLimits = {
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

const firstModel: ModelLimits = {
  ...unknownModel,
  thinking: "none",
  callIds: false,
  proof: false,
  resultMedia: false,
  jsonWithTools: false,
  jsonSchema: false,
};

/** Later rows override earlier ones. */
const changes: readonly Change[] = [
  { since: 205, limits: { thinking: "budget", budget: { min: 1, max: 24_576 }, penalties: false, jsonSchema: true } },
  { since: 205, family: /lite/, limits: { budget: { min: 512, max: 24_576 } } },
  { since: 205, family: /pro/, limits: { budget: { min: 128, max: 32_768 }, canRest: false } },
  { since: 300, limits: { thinking: "level", canRest: false, penalties: true, maxChoices: 1, callIds: true } },
  { since: 300, limits: { proof: true, resultMedia: true, jsonWithTools: true } },
  { since: 300, family: /pro/, limits: { levels: ["LOW", "HIGH"] } },
  { since: 301, family: /pro/, limits: { levels: ["LOW", "MEDIUM", "HIGH"] } },
  { since: 307, family: /flash/, limits: { levels: ["LOW", "MEDIUM", "HIGH"] } },
];

const versioned = /gemini-(\d{1,2})(?:\.(\d{1,2}))?(?=-|$|@)/;

/** The limits of the model with this upstream name. */
export function limitsOf(model: string): ModelLimits {
  const name = model.toLowerCase();
  const known = versioned.exec(name);
  if (known === null) return unknownModel;
  const version = Number(known[1]) * 100 + Number(known[2] ?? 0);
  const apply = (limits: ModelLimits, change: Change): ModelLimits =>
    version >= change.since && (change.family?.test(name) ?? true) ? { ...limits, ...change.limits } : limits;
  return changes.reduce(apply, firstModel);
}
