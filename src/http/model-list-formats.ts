// The three formats of model lists, and the pagination of each.
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Protocol } from "./protocols.ts";

/** `createdAt` in Unix seconds; the epoch if unknown. */
export interface Model {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: number;
  readonly ownedBy: string;
  /** Members of Anthropic's own list in addition. */
  readonly details?: JsonObject;
}

interface ModelShape {
  item(model: Model): object;
  list(models: readonly Model[], query: URLSearchParams): object;
}

function limitOf(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === "") return fallback;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new GatewayError("invalid_value", `Invalid '${name}': it must be an integer from 1 to 1000.`, {
    param: name,
  });
}

const openai: ModelShape = {
  item: (model) => ({ id: model.id, object: "model", created: model.createdAt, owned_by: model.ownedBy }),
  list: (models) => ({ object: "list", data: models.map(openai.item) }),
};

/**
 * Members that the types require; their values cannot be inferred from an id (@anthropic-ai/sdk 1.10.0, `ModelInfo`).
 */
const unknownDetails: JsonObject = {
  capabilities: null,
  deprecated_at: null,
  lifecycle: "active",
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  retires_at: null,
};

/** Pages by `limit`, `after_id` and `before_id`. */
const anthropic: ModelShape = {
  item: (model) => ({
    type: "model",
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(model.createdAt * 1000).toISOString(),
    ...unknownDetails,
    ...model.details,
  }),
  list(models, query) {
    const limit = limitOf(query, "limit", 20);
    const ids = models.map((model) => model.id);
    const after = query.get("after_id");
    const before = query.get("before_id");
    const from = after === null ? 0 : ids.indexOf(after) + 1;
    const to = before === null || !ids.includes(before) ? ids.length : ids.indexOf(before);
    const page = before === null ? models.slice(from, from + limit) : models.slice(Math.max(from, to - limit), to);
    return {
      data: page.map(anthropic.item),
      has_more: before === null ? from + limit < models.length : to - limit > from,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
};

const methods = ["generateContent", "streamGenerateContent", "countTokens"];

/** Pages by `pageSize` and `pageToken`; a token is the position of the next model. */
const gemini: ModelShape = {
  item: (model) => ({
    name: `models/${model.id}`,
    version: "001",
    displayName: model.displayName,
    supportedGenerationMethods: methods,
  }),
  list(models, query) {
    const size = limitOf(query, "pageSize", 50);
    const from = Math.max(0, Number.parseInt(query.get("pageToken") ?? "0", 10) || 0);
    const next = from + size;
    const more = next < models.length ? { nextPageToken: String(next) } : {};
    return { models: models.slice(from, next).map(gemini.item), ...more };
  },
};

export const modelShapes: { readonly [protocol in Protocol]: ModelShape } = { openai, anthropic, gemini };
