// What the families of models behind this dialect accept, as a history of changes by version.

export interface ModelLimits {
  /** `budget`: a token budget. `adaptive`: the model decides. `either`: both are accepted. */
  readonly thinking: "none" | "budget" | "either" | "adaptive";
  /** How thinking is turned off, or down as far as the model allows. */
  readonly quietest: "disabled" | "between_tools" | "low_effort";
  readonly sampling: boolean;
  /** Temperature and top_p in one request. */
  readonly sampleTwice: boolean;
  readonly forcedTool: boolean;
  /** The last message may be the assistant's. */
  readonly prefill: boolean;
  readonly outputSchema: boolean;
  /** Role `system` between the messages. */
  readonly systemTurns: boolean;
  readonly xhighEffort: boolean;
  /** Thinking comes without its text unless a request says otherwise. */
  readonly omitsThinking: boolean;
  readonly maxOutputTokens?: number;
}

interface Change {
  /** Major times 100 plus minor: 4.6 is 406. */
  readonly since: number;
  readonly family?: string;
  readonly limits: Partial<ModelLimits>;
}

/** A model that no row knows is taken at its word: what was asked is said in the form that it was asked. */
const unknownModel: ModelLimits = {
  thinking: "either",
  quietest: "disabled",
  sampling: true,
  sampleTwice: false,
  forcedTool: true,
  prefill: true,
  outputSchema: true,
  systemTurns: false,
  xhighEffort: true,
  omitsThinking: false,
};

const firstModel: ModelLimits = {
  ...unknownModel,
  thinking: "none",
  sampleTwice: true,
  outputSchema: false,
  xhighEffort: false,
  maxOutputTokens: 4096,
};

/** Later rows override earlier ones. */
const changes: readonly Change[] = [
  { since: 305, limits: { maxOutputTokens: 8192 } },
  { since: 307, limits: { thinking: "budget", maxOutputTokens: 64_000 } },
  { since: 400, family: "opus", limits: { maxOutputTokens: 32_000 } },
  { since: 401, limits: { sampleTwice: false } },
  { since: 405, limits: { outputSchema: true, maxOutputTokens: 64_000 } },
  { since: 406, limits: { thinking: "either", prefill: false, maxOutputTokens: 128_000 } },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html: budgets are refused.
  // https://platform.claude.com/docs/en/build-with-claude/thinking: the text has to be asked for.
  { since: 407, limits: { sampling: false, xhighEffort: true, thinking: "adaptive", omitsThinking: true } },
  { since: 408, limits: { systemTurns: true } },
  { since: 500, family: "fable", limits: { thinking: "adaptive", quietest: "low_effort" } },
  { since: 501, family: "fable", limits: { forcedTool: false } },
  { since: 505, limits: { thinking: "adaptive" } },
  { since: 505, family: "sonnet", limits: { quietest: "between_tools", forcedTool: false } },
  { since: 505, family: "opus", limits: { quietest: "low_effort", forcedTool: false } },
];

const familyFirst = /claude-(opus|sonnet|haiku|fable)-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/;
const versionFirst = /claude-(?:v|instant-)?(\d)(?:[-.](\d))?(?:-(opus|sonnet|haiku))?/;

function familyOf(model: string): { family: string; version: number } | null {
  const named = familyFirst.exec(model);
  if (named) return { family: named[1] ?? "", version: Number(named[2]) * 100 + Number(named[3] ?? 0) };
  const early = versionFirst.exec(model);
  return early ? { family: early[3] ?? "", version: Number(early[1]) * 100 + Number(early[2] ?? 0) } : null;
}

/** The limits of the model with this upstream name. */
export function limitsOf(model: string): ModelLimits {
  const known = familyOf(model.toLowerCase());
  if (known === null) return unknownModel;
  const apply = (limits: ModelLimits, change: Change): ModelLimits =>
    known.version >= change.since && (change.family ?? known.family) === known.family
      ? { ...limits, ...change.limits }
      : limits;
  return changes.reduce(apply, firstModel);
}
