// Tables of models: what each model accepts, as rows with their source, extended by configuration.

import type { Effort } from "../../canonical/chat.ts";

/** Lengths in seconds: the allowed ones, or bounds within which every whole second is allowed. */
export type Durations = readonly [number, ...number[]] | { readonly min: number; readonly max: number };

/** How an image of a video request is used. */
type ImageRole = "first" | "last" | "reference";

/** Canonical fields whose names depend on the model at hosts of many models. */
export const namedFields = [
  ...(["first", "last", "references", "seconds", "ratio", "resolution", "size"] as const),
  ...(["seed", "fps", "negativePrompt", "audio"] as const),
] as const;
type NamedField = (typeof namedFields)[number];

/** What a model accepts. An absent member is unknown; the client's value is then sent unchanged. */
interface ModelCapabilities {
  /** `WIDTHxHEIGHT`; the first is the default where a size is required. */
  readonly sizes?: readonly string[];
  /** As in `16:9`; empty where the model has no such setting. */
  readonly ratios?: readonly string[];
  /** As in `720p`, spelled as the provider does; empty where the model has no such setting. */
  readonly resolutions?: readonly string[];
  readonly durations?: Durations;
  /** Whether a video has sound. */
  readonly audio?: "optional" | "always" | "never";
  /** How images can be used; empty where the model does not support images. */
  readonly images?: readonly ImageRole[];
  /** Names of the inputs, where they depend on the model. */
  readonly fields?: { readonly [field in NamedField]?: string };
}

/** What an operator can declare about a text model. An absent member is taken from the built-in row. */
export interface TextCapabilities {
  /** How an amount of reasoning is set: not at all, as a number of tokens, as an effort, or either way. */
  readonly reasoning?: "none" | "budget" | "effort" | "either";
  /** From the lowest to the highest; empty where the model refuses an effort. */
  readonly efforts?: readonly Effort[];
  /** Whether the model accepts sampling parameters such as temperature. */
  readonly sampling?: "always" | "without_reasoning" | "never";
  /** Whether the model accepts a JSON Schema for its output. */
  readonly structuredOutput?: boolean;
  /** Whether the model can be forced to call a tool. */
  readonly forcedTool?: boolean;
  /** Whether the last message may be from the assistant. */
  readonly prefill?: boolean;
  readonly maxOutputTokens?: number;
  /** What routes choose by. */
  readonly imageInput?: boolean;
  readonly tools?: boolean;
  readonly contextTokens?: number;
}

/** The source of a row. */
export interface Sourced {
  /** A page, or a package with its version. */
  readonly source: string;
  /** The date of the check, as `YYYY-MM-DD`. */
  readonly checkedOn: string;
}

/** A row of a table: the facts about the models whose names match. */
export interface ModelRow extends ModelCapabilities, Sourced {
  /** A pattern, or the exact names. */
  readonly models: RegExp | readonly string[];
  /** Required images. */
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
  /** The first row that matches is used. */
  readonly rows: readonly Row[];
  /** For models without a row: without restrictions. */
  readonly unlisted: Row;
}

/** The model, and what the operator declared for its provider. */
export interface ModelQuery {
  readonly model: string;
  readonly declared?: readonly DeclaredModel[] | undefined;
}

interface FoundRow<Row> {
  readonly row: Row;
  /** False where neither the table nor the operator has a row for the model. */
  readonly isListed: boolean;
}

const matches = (models: ModelRow["models"], model: string): boolean =>
  models instanceof RegExp ? models.test(model) : models.includes(model);

/** The first row of a list that matches. */
export function findRow<Row extends Pick<ModelRow, "models">>(rows: readonly Row[], model: string): Row | undefined {
  return rows.find(({ models }) => matches(models, model));
}

/** The row of a model: the table's, with the operator's members replacing its own. */
export function lookUpModel<Row extends ModelRow>(table: ModelTable<Row>, query: ModelQuery): FoundRow<Row> {
  const declared = findRow(query.declared ?? [], query.model);
  const found = findRow(table.rows, declared?.like ?? query.model);
  const row = found ?? table.unlisted;
  if (declared === undefined) return { row, isListed: found !== undefined };
  const { capabilities } = declared;
  const fields = { ...row.fields, ...capabilities.fields };
  return { row: { ...row, ...capabilities, fields }, isListed: true };
}
