// What the sandbox says in a conversation: the same request always gets the same reply, and it says where it comes from.
import type {
  Block,
  ChatAnswer,
  ChatAsk,
  Choice,
  CustomTool,
  FunctionTool,
  Stop,
  ToolCallBlock,
} from "../../canonical/chat.ts";
import type { Usage } from "../../canonical/usage.ts";
import { withoutDirectives } from "./directives.ts";
import { relevantTools } from "./relevance.ts";
import { sample } from "./schema-sample.ts";

const charsPerToken = 4;
const tokens = (text: string): number => Math.ceil(text.length / charsPerToken);

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => ("text" in block ? block.text : "")).join("");
}

/** The text of the last turn that is not a tool's. */
export function lastPrompt(ask: ChatAsk): string {
  return textOf(ask.turns.findLast((turn) => turn.role === "user")?.blocks ?? []);
}

function fingerprint(ask: ChatAsk): string {
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([ask.turns, ask.model]))
    .digest("hex")
    .slice(0, 24);
}

type Callable = FunctionTool | CustomTool;

const isCallable = (tool: ChatAsk["tools"][number]): tool is Callable => tool.kind !== "hosted";

/** The tools to call: the one that is forced, those that the prompt names or asks for, or the first when any must be called. */
function calledTools(ask: ChatAsk, prompt: string): Callable[] {
  const choice = ask.toolChoice;
  const allowed = ask.tools
    .filter(isCallable)
    .filter((tool) => choice?.type !== "allowed" || choice.names.includes(tool.name));
  if (choice?.type === "none" || ask.turns.at(-1)?.role === "tool") return [];
  if (choice?.type === "tool") return allowed.filter((tool) => tool.name === choice.name);
  const named = allowed.filter((tool) => prompt.toLowerCase().includes(tool.name.toLowerCase()));
  const must = choice?.type === "required" || (choice?.type === "allowed" && choice.required);
  const found = named.length > 0 ? named : relevantTools(prompt, allowed);
  const calls = found.length > 0 || !must ? found : allowed.slice(0, 1);
  return ask.parallelToolCalls === false ? calls.slice(0, 1) : calls;
}

function inputFor(tool: Callable): string {
  if (tool.kind === "custom") return "Sandbox input.";
  return JSON.stringify(tool.parameters === undefined ? {} : sample(tool.parameters));
}

function callBlock(tool: Callable, id: string, index: number): ToolCallBlock {
  return { type: "tool-call", id: `call_${id}_${index}`, name: tool.name, kind: tool.kind, input: inputFor(tool) };
}

function results(ask: ChatAsk): string | null {
  const last = ask.turns.at(-1);
  if (last?.role !== "tool") return null;
  const texts = last.blocks.map((block) => (block.type === "tool-result" ? textOf(block.content) : ""));
  return `The tools said: ${texts.join(" | ")}`;
}

function spoken(ask: ChatAsk, prompt: string, index: number): string {
  const { format } = ask;
  if (format?.type === "schema") return JSON.stringify(sample(format.schema));
  if (format?.type === "json") return JSON.stringify({ sandbox: true, prompt });
  const which = index === 0 ? "" : ` (choice ${index + 1})`;
  return `Sandbox reply${which}: ${results(ask) ?? `you said "${prompt}"`}`;
}

/** Cuts at a stop text or at the token bound, as a provider would. */
function bounded(ask: ChatAsk, text: string, ending: Stop): { text: string; stop: Stop } {
  const hits = ask.stop.map((sequence) => ({ sequence, at: text.indexOf(sequence) })).filter((hit) => hit.at >= 0);
  const first = hits.sort((left, right) => left.at - right.at)[0];
  const cut = first === undefined ? text : text.slice(0, first.at);
  const most = (ask.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charsPerToken;
  if (cut.length > most) return { text: cut.slice(0, most), stop: { kind: "length" } };
  return { text: cut, stop: first === undefined ? ending : { kind: "stop-sequence", sequence: first.sequence } };
}

function choiceOf(ask: ChatAsk, prompt: string, id: string, index: number, origin: string): Choice {
  const calls = calledTools(ask, prompt).map((tool, position) => callBlock(tool, `${id}_${index}`, position));
  const thinks = ask.reasoning?.adaptive || ask.reasoning?.budgetTokens || (ask.reasoning?.effort ?? "none") !== "none";
  const thinking: Block[] = thinks
    ? [{ type: "thinking", text: "The sandbox thinks for a moment.", signature: { origin, data: `sandbox-${id}` } }]
    : [];
  const said = bounded(ask, spoken(ask, prompt, index), { kind: "end" });
  const text: Block[] = calls.length > 0 || said.text === "" ? [] : [{ type: "text", text: said.text }];
  return { index, blocks: [...thinking, ...text, ...calls], stop: calls.length > 0 ? { kind: "tool-use" } : said.stop };
}

/** What the conversation counts, without a word of it being copied. */
export function inputTokens(ask: ChatAsk): number {
  const blocks = [...ask.system, ...ask.turns.flatMap((turn) => turn.blocks)];
  return Math.ceil(blocks.reduce((sum, block) => sum + ("text" in block ? block.text.length : 0), 0) / charsPerToken);
}

function usageOf(ask: ChatAsk, choices: readonly Choice[]): Usage {
  const blocks = choices.flatMap((choice) => choice.blocks);
  const shown = blocks.map((block) =>
    block.type === "tool-call" ? block.input : block.type === "text" ? block.text : "",
  );
  const thought = blocks.map((block) => (block.type === "thinking" ? block.text : ""));
  return {
    inputTokens: inputTokens(ask),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: tokens(shown.join("")),
    reasoningTokens: tokens(thought.join("")),
  };
}

/** The whole reply. */
export function chatReply(ask: ChatAsk, origin: string): ChatAnswer {
  const id = fingerprint(ask);
  const prompt = withoutDirectives(lastPrompt(ask));
  const choices = Array.from({ length: ask.choices }, (_, index) => choiceOf(ask, prompt, id, index, origin));
  return {
    operation: "chat",
    id: `sandbox-${id}`,
    model: `sandbox/${ask.model}`,
    choices,
    usage: usageOf(ask, choices),
  };
}
