// What OpenAI's families of models that think can be told: their efforts, and whether they take sampling.
import type { ChatAsk, Effort, Sampling } from "../../canon/conversation.ts";
import { unsupported } from "../reject.ts";
import { type Notes, noteField } from "./notes.ts";

interface Family {
  /** From the least to the most. */
  readonly efforts: readonly Effort[];
  /** `quiet`: as long as they are not told to think. */
  readonly sampling: "always" | "quiet" | "never";
}

const order: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const upTo = (effort: Effort, ...first: readonly Effort[]): readonly Effort[] => [
  ...first,
  ...order.slice(order.indexOf("low"), order.indexOf(effort) + 1),
];

const families: readonly (readonly [RegExp, Family])[] = [
  [/^(?:.*\/)?o\d/, { efforts: upTo("high"), sampling: "never" }],
  [/^(?:.*\/)?gpt-5\.1(?!\d)/, { efforts: upTo("high", "none"), sampling: "quiet" }],
  [/^(?:.*\/)?gpt-5\.[2-5](?!\d)/, { efforts: upTo("xhigh", "none"), sampling: "quiet" }],
  [/^(?:.*\/)?gpt-5\.\d/, { efforts: upTo("max", "none"), sampling: "quiet" }],
  [/^(?:.*\/)?gpt-5/, { efforts: upTo("high", "minimal"), sampling: "never" }],
  [/^(?:.*\/)?gpt-oss/, { efforts: upTo("high"), sampling: "always" }],
  [/^(?:.*\/)?gpt-(?:[6-9]|\d{2,})(?:\D|$)/, { efforts: upTo("max"), sampling: "never" }],
];

/** Models of a family whose names say so do not think. */
const speaksAlone = /-chat/;

function familyOf(model: string): Family | undefined {
  return speaksAlone.test(model) ? undefined : families.find(([name]) => name.test(model))?.[1];
}

/** The lowest effort that the model takes; undefined for a model that is not known to think. */
export function leastEffort(model: string): Effort | undefined {
  return familyOf(model)?.efforts[0];
}

/** The effort itself where the model takes it, else the next lower one, else the next higher: never silence unasked. */
export function nearestEffort(effort: Effort, model: string): Effort {
  const efforts = familyOf(model)?.efforts ?? order;
  if (efforts.includes(effort)) return effort;
  const thinking = efforts.filter((known) => known !== "none");
  const lower = thinking.findLast((known) => order.indexOf(known) < order.indexOf(effort));
  return lower ?? thinking[0] ?? effort;
}

/** Later models of one family think and call functions as responses alone. */
const callsAsResponses = /^(?:.*\/)?gpt-5\.(?:[6-9]|\d{2,})(?!\d)/;

/** True for a model that chat refuses to let think where it has functions. */
export function refusesBoth(model: string): boolean {
  return callsAsResponses.test(model) && familyOf(model) !== undefined;
}

/** What sampling is where nobody says anything. */
const usual = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 } as const;

const fields = ["temperature", "topP", "presencePenalty", "frequencyPenalty"] as const;

/** The sampling that the model takes at this effort; the rest is told. Throws where log probabilities are asked of it in vain. */
export function samplingTaken(ask: ChatAsk, effort: Effort | undefined, notes: Notes): Sampling {
  const { sampling } = ask;
  const rule = familyOf(notes.context.model)?.sampling ?? "always";
  const isQuiet = effort === undefined || effort === "none";
  if (rule === "always" || (rule === "quiet" && isQuiet)) return sampling;
  if (ask.logprobs !== undefined)
    throw unsupported(notes.context.fieldPath("logprobs"), "the model tells none while it thinks");
  for (const field of fields)
    if ((sampling[field] ?? usual[field]) !== usual[field]) noteField(notes, "dropped", field);
  const { temperature, topP, presencePenalty, frequencyPenalty, ...kept } = sampling;
  return kept;
}
