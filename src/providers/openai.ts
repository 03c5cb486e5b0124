// OpenAI itself.
import { openaiChat, openaiCompletions, openaiEmbeddings, openaiResponses } from "../dialects/index.ts";
import { bearer } from "./auth.ts";
import { readDataList } from "./listing.ts";
import type { ProviderKind } from "./provider.ts";

/** The last models that continue a text; they know no conversation, and all others know nothing else. */
const continuesText = /^(?:ft:)?(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;

/** Texts are continued by the models of this name and no others; all else they do not know. */
export function textsApart(names: RegExp): NonNullable<ProviderKind["speaks"]> {
  return (dialect, model) => dialect.operation !== "chat" || (dialect === openaiCompletions) === names.test(model);
}

export const openai: ProviderKind = {
  kind: "openai",
  baseUrl: "https://api.openai.com/v1",
  environment: { credential: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  dialects: [openaiChat, openaiResponses, openaiCompletions, openaiEmbeddings],
  speaks: textsApart(continuesText),
  origin: "openai",
  authorize: bearer,
  listing: { path: "models", read: readDataList },
};
