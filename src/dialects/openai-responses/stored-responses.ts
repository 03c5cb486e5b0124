// Stored responses, background runs and compaction on the wire of OpenAI's Responses.
import type { StoredResponses } from "../stored-responses.ts";
import { compactionItems } from "./compact.ts";
import { openaiCompaction, openaiSummary } from "./compaction-dialect.ts";
import { documents, frames } from "./stored-documents.ts";
import { items } from "./stored-items.ts";
import { refusals, requests } from "./stored-requests.ts";

export const openaiStoredResponses: StoredResponses = {
  requests,
  items,
  documents,
  frames,
  refusals,
  compactions: { dialect: openaiCompaction, summaryDialect: openaiSummary, ...compactionItems },
};
