// Text Embeddings Inference: a server of one's own for one model, native and compatible.
import { openaiEmbeddings, teiEmbeddings, teiRerank } from "../dialects/index.ts";
import { isObject } from "../lib/json.ts";
import { bearer } from "./authentication.ts";
import type { ListedModel, ProviderKind } from "./provider.ts";

/** The server tells of itself: `{model_id}`. */
function readInfo(body: unknown): ListedModel[] {
  return isObject(body) && typeof body.model_id === "string" ? [{ id: body.model_id }] : [];
}

export const tei: ProviderKind = {
  kind: "tei",
  baseUrl: "http://127.0.0.1:8080",
  environment: { credential: "TEI_API_KEY", baseUrl: "TEI_BASE_URL" },
  dialects: [openaiEmbeddings, teiEmbeddings, teiRerank],
  origin: "tei",
  authorize: bearer,
  listing: { path: "info", read: readInfo },
  options: { embeddings: { mostItems: 32 } },
  mendCall: (call) => (call.path === "embeddings" ? { ...call, path: "v1/embeddings" } : call),
};
