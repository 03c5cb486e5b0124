// Tables of models: what each model accepts, as rows with their source, looked up in one way and extended by configuration.

import type { Effort } from "../../canonical/chat.ts";

/** Lengths in seconds: the ones that are allowed, or the bounds between which every whole second is. */
export type Durations = readonly [number, ...number[]] | { readonly min: number; readonly max: number };

/** What an image of a video request can be used as. */
export type ImageRole = "first" | "last" | "reference";

/** Canonical fields that a host of many models has under names of each model's own. */
export const namedFields = [
  ...(["first", "last", "references", "seconds", "ratio", "resolution", "size"] as const),
  ...(["seed", "fps", "negativePrompt", "audio"] as const),
] as const;
export type NamedField = (typeof namedFields)[number];

/** What a model accepts. A member that is absent is not known, and then what the client said goes on unchanged. */
export interface ModelCapabilities {
  /** `WIDTHxHEIGHT`; the first one is used where a size is required and none was requested. */
  readonly sizes?: readonly string[];
  /** As in `16:9`; empty where the model has no such setting. */
  readonly ratios?: readonly string[];
  /** As in `720p`, spelled as the provider does; empty where the model has no such setting. */
  readonly resolutions?: readonly string[];
  readonly durations?: Durations;
  /** Whether a video has sound. */
  readonly audio?: "optional" | "always" | "never";
  /** How images can be used; empty where the model takes none. */
  readonly images?: readonly ImageRole[];
  /** Names of the inputs, where they differ from model to model. */
  readonly fields?: { readonly [field in NamedField]?: string };
}

/** What an operator can declare of a text model. A member that is absent is that of the built-in row. */
export interface TextCapabilities {
  /** How an amount of reasoning is set: not at all, as a number of tokens, as an effort, or either way. */
  readonly reasoning?: "none" | "budget" | "effort" | "either";
  /** From the least to the most; empty where the model refuses an effort. */
  readonly efforts?: readonly Effort[];
  /** Whether the model accepts temperature and the like. */
  readonly sampling?: "always" | "without_reasoning" | "never";
  /** Whether the model accepts a JSON Schema for its output. */
  readonly structuredOutput?: boolean;
  /** Whether the model can be made to call a tool. */
  readonly forcedTool?: boolean;
  /** Whether the last message may be the assistant's. */
  readonly prefill?: boolean;
  readonly maxOutputTokens?: number;
}

/** Where the facts of a row are from. */
export interface Sourced {
  /** A page, or a package with its version. */
  readonly source: string;
  /** The day on which the source was read, as `YYYY-MM-DD`. */
  readonly checkedOn: string;
}

/** A row of a table: the facts about the models whose names match. */
export interface ModelRow extends ModelCapabilities, Sourced {
  /** A pattern, or the exact names. */
  readonly models: RegExp | readonly string[];
  /** Images that it cannot do without. */
  readonly needs?: readonly ImageRole[];
}

/** A row that an operator declares. */
export interface DeclaredModel {
  readonly models: RegExp;
  /** The model whose row is the basis; the declared members replace those of that row. */
  readonly like?: string;
  readonly capabilities: ModelCapabilities & TextCapabilities;
}

export interface ModelTable<Row extends ModelRow> {
  /** The first row that matches is taken. */
  readonly rows: readonly Row[];
  /** For models without a row: it restricts nothing. */
  readonly unlisted: Row;
}

/** Who is asked: the model, and what the operator declared for its provider. */
export interface ModelQuery {
  readonly model: string;
  readonly declared?: readonly DeclaredModel[] | undefined;
}

export interface FoundRow<Row> {
  readonly row: Row;
  /** False where neither the table nor the operator knows the model. */
  readonly isListed: boolean;
}

const matches = (models: ModelRow["models"], model: string): boolean =>
  models instanceof RegExp ? models.test(model) : models.includes(model);

/** The first row of a list that matches. */
export function findRow<Row extends Pick<ModelRow, "models">>(rows: readonly Row[], model: string): Row | undefined {
  return rows.find(({ models }) => matches(models, model));
}

/** The row of a model: the table's, with what the operator declared laid over it. */
export function lookUpModel<Row extends ModelRow>(table: ModelTable<Row>, query: ModelQuery): FoundRow<Row> {
  const declared = findRow(query.declared ?? [], query.model);
  const found = findRow(table.rows, declared?.like ?? query.model);
  const row = found ?? table.unlisted;
  if (declared === undefined) return { row, isListed: found !== undefined };
  const { capabilities } = declared;
  const fields = { ...row.fields, ...capabilities.fields };
  return { row: { ...row, ...capabilities, fields }, isListed: true };
}
