// What the model families of this dialect accept, as a history of changes by version.
import type { Effort } from "../../canonical/chat.ts";
import type { ModelQuery } from "../shared/model-table.ts";
import { lookUpVersion, type VersionTable } from "../shared/text-model-table.ts";

export interface ModelLimits {
  /** `budget`: a token budget. `adaptive`: the model decides. `either`: both are accepted. */
  readonly thinking: "none" | "budget" | "either" | "adaptive";
  /** How thinking is turned off, or reduced as far as the model allows. */
  readonly quietest: "disabled" | "between_tools" | "low_effort";
  readonly sampling: boolean;
  /** Accepts temperature and top_p in one request. */
  readonly sampleTwice: boolean;
  readonly forcedTool: boolean;
  /** The last message may be from the assistant. */
  readonly prefill: boolean;
  readonly outputSchema: boolean;
  /** Accepts messages with the role `system`. */
  readonly systemTurns: boolean;
  readonly efforts: readonly Effort[];
  /** Returns thinking without its text unless the request includes it. */
  readonly omitsThinking: boolean;
  readonly maxOutputTokens?: number;
}

/** A model without a row: the client's values are sent in the form that the client used. */
const unlisted: ModelLimits = {
  thinking: "either",
  quietest: "disabled",
  sampling: true,
  sampleTwice: false,
  forcedTool: true,
  prefill: true,
  outputSchema: true,
  systemTurns: false,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  omitsThinking: false,
};

/** The capabilities of models in Anthropic's own package for the AI SDK. */
const sdk = { source: "@ai-sdk/anthropic 3.0.138", checkedOn: "2026-11-22" };
const page = (source: string) => ({ source, checkedOn: "2026-11-22" });
const docs = "https://platform.claude.com/docs/en";

const familyFirst = /claude-(?:opus|sonnet|haiku|fable)-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/;
const versionFirst = /claude-(?:v|instant-)?(\d)(?:[-.](\d))?(?:-(?:opus|sonnet|haiku))?/;

export const claudeModels: VersionTable<ModelLimits> = {
  versionOf(model) {
    const found = familyFirst.exec(model) ?? versionFirst.exec(model);
    return found === null ? null : Number(found[1]) * 100 + Number(found[2] ?? 0);
  },
  unlisted,
  rows: [
    {
      since: 0,
      facts: { thinking: "none", sampleTwice: true, outputSchema: false, maxOutputTokens: 4096 },
      ...sdk,
    },
    { since: 0, facts: { efforts: ["low", "medium", "high", "max"] }, ...page(`${docs}/build-with-claude/effort`) },
    { since: 305, facts: { maxOutputTokens: 8192 }, ...page(`${docs}/about-claude/models/overview`) },
    {
      since: 307,
      facts: { thinking: "budget", maxOutputTokens: 64_000 },
      ...page(`${docs}/build-with-claude/extended-thinking`),
    },
    { since: 400, family: /opus/, facts: { maxOutputTokens: 32_000 }, ...sdk },
    { since: 401, facts: { sampleTwice: false }, ...page("https://github.com/ccbogel/QualCoder/issues/1125") },
    { since: 401, family: /opus/, facts: { outputSchema: true }, ...sdk },
    { since: 405, facts: { outputSchema: true, maxOutputTokens: 64_000 }, ...sdk },
    {
      since: 406,
      facts: { thinking: "either", prefill: false },
      ...page(`${docs}/build-with-claude/adaptive-thinking`),
    },
    { since: 406, facts: { maxOutputTokens: 128_000 }, ...sdk },
    { since: 407, facts: { sampling: false }, ...sdk },
    {
      since: 407,
      facts: { thinking: "adaptive" },
      ...page("https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html"),
    },
    { since: 407, facts: { omitsThinking: true }, ...page(`${docs}/build-with-claude/thinking`) },
    { since: 407, facts: { efforts: unlisted.efforts }, ...page(`${docs}/build-with-claude/effort`) },
    { since: 408, facts: { systemTurns: true }, ...page(`${docs}/api/messages`) },
    { since: 500, family: /fable/, facts: { quietest: "low_effort" }, ...sdk },
    { since: 501, family: /fable/, facts: { forcedTool: false }, ...sdk },
    { since: 505, family: /sonnet/, facts: { quietest: "between_tools", forcedTool: false }, ...sdk },
    { since: 505, family: /opus/, facts: { quietest: "low_effort", forcedTool: false }, ...sdk },
  ],
  declared: ({ reasoning, efforts, sampling, structuredOutput, forcedTool, prefill }) => ({
    thinking: reasoning === "effort" ? "adaptive" : reasoning,
    efforts,
    sampling: sampling === undefined ? undefined : sampling !== "never",
    outputSchema: structuredOutput,
    forcedTool,
    prefill,
  }),
};

/** The limits of the model with this upstream name. */
export const limitsOf = (query: ModelQuery): ModelLimits => lookUpVersion(claudeModels, query);
