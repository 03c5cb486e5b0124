// The sandbox's chat replies: the same request always gets the same reply, with a call of the tool that the prompt
// refers to.
import type {
  Block,
  ChatRequest,
  ChatResponse,
  Choice,
  CustomTool,
  FinishReason,
  FunctionTool,
  ToolCallBlock,
} from "../../canonical/chat.ts";
import type { Usage } from "../../canonical/usage.ts";
import { withoutDirectives } from "./directives.ts";
import { sample } from "./schema-sample.ts";

interface Described {
  readonly name: string;
  readonly description?: string;
}

/** Words that are common in tools and prompts. */
const common = new Set(
  (
    "a an and any are as at be by can current data do for from get fetch find given has have how i in info information is " +
    "it its list look lookup make me my new of on or please query return returns run search see set show tell that the " +
    "then this to tool use user using value what when where which who will with you your"
  ).split(" "),
);

/** The start of a question or request without a question mark. */
const request =
  /\?|^\W*(?:please|what|when|where|which|who|how|can|could|would|will|is|are|do|does|i (?:need|want)|(?:add|book|calculate|call|check|compute|convert|create|delete|fetch|find|get|give|list|look|make|open|play|read|run|search|send|set|show|tell|translate|turn|update|use|write)\b)/i;

/** Words in lower case and singular, without common ones. */
function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,40}/gu);
  return new Set((words ?? []).filter((word) => !common.has(word)).map((word) => word.replace(/(?<=\w{3})s$/, "")));
}

const shared = (words: ReadonlySet<string>, prompt: ReadonlySet<string>): number =>
  [...words].filter((word) => prompt.has(word)).length;

/** A word of the name counts twice: one is enough, of the description it takes two. */
function scoreOf({ name, description = "" }: Described, prompt: ReadonlySet<string>): number {
  return 2 * shared(wordsOf(name), prompt) + shared(wordsOf(description), prompt);
}

const enough = 2;

/** The tool that a prompt refers to most clearly, the first of several; none if it refers to no tool. */
function relevantTools<Tool extends Described>(prompt: string, tools: readonly Tool[]): Tool[] {
  if (!request.test(prompt)) return [];
  const words = wordsOf(prompt.slice(0, 10_000));
  const scores = tools.map((tool) => scoreOf(tool, words));
  const best = Math.max(0, ...scores);
  const tool = tools[scores.indexOf(best)];
  return best >= enough && tool !== undefined ? [tool] : [];
}

const charsPerToken = 4;
const tokens = (text: string): number => Math.ceil(text.length / charsPerToken);

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => ("text" in block ? block.text : "")).join("");
}

/** The text of the last message that is not a tool's. */
export function lastPrompt(request: ChatRequest): string {
  return textOf(request.messages.findLast((message) => message.role === "user")?.blocks ?? []);
}

function fingerprint(request: ChatRequest): string {
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([request.messages, request.model]))
    .digest("hex")
    .slice(0, 24);
}

type Callable = FunctionTool | CustomTool;

const isCallable = (tool: ChatRequest["tools"][number]): tool is Callable => tool.kind !== "hosted";

/** The tools to call: the forced one, those that the prompt refers to, or the first if any must be called. */
function calledTools(request: ChatRequest, prompt: string): Callable[] {
  const choice = request.toolChoice;
  const allowed = request.tools
    .filter(isCallable)
    .filter((tool) => choice?.type !== "allowed" || choice.names.includes(tool.name));
  if (choice?.type === "none" || request.messages.at(-1)?.role === "tool") return [];
  if (choice?.type === "tool") return allowed.filter((tool) => tool.name === choice.name);
  const named = allowed.filter((tool) => prompt.toLowerCase().includes(tool.name.toLowerCase()));
  const must = choice?.type === "required" || (choice?.type === "allowed" && choice.required);
  const found = named.length > 0 ? named : relevantTools(prompt, allowed);
  const calls = found.length > 0 || !must ? found : allowed.slice(0, 1);
  return request.parallelToolCalls === false ? calls.slice(0, 1) : calls;
}

function inputFor(tool: Callable): string {
  if (tool.kind === "custom") return "Sandbox input.";
  return JSON.stringify(tool.parameters === undefined ? {} : sample(tool.parameters));
}

function callBlock(tool: Callable, id: string, index: number): ToolCallBlock {
  return { type: "tool-call", id: `call_${id}_${index}`, name: tool.name, kind: tool.kind, input: inputFor(tool) };
}

function results(request: ChatRequest): string | null {
  const last = request.messages.at(-1);
  if (last?.role !== "tool") return null;
  const texts = last.blocks.map((block) => (block.type === "tool-result" ? textOf(block.content) : ""));
  return `Tool results: ${texts.join(" | ")}`;
}

/** A longer prompt is repeated only up to this length. */
const maxRepeatedChars = 100_000;

const shortened = (prompt: string): string =>
  prompt.length > maxRepeatedChars ? `${prompt.slice(0, maxRepeatedChars)}…` : prompt;

function spoken(request: ChatRequest, prompt: string, index: number): string {
  const { format } = request;
  if (format?.type === "schema") return JSON.stringify(sample(format.schema));
  if (format?.type === "json") return JSON.stringify({ sandbox: true, prompt });
  const which = index === 0 ? "" : ` (choice ${index + 1})`;
  return `Sandbox reply${which}: ${results(request) ?? `you said "${shortened(prompt)}"`}`;
}

/** Cuts at a stop sequence or at the output limit, as a provider would. */
function bounded(request: ChatRequest, text: string, ending: FinishReason): { text: string; stop: FinishReason } {
  const hits = request.stopSequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter((hit) => hit.at >= 0);
  const first = hits.sort((left, right) => left.at - right.at)[0];
  const cut = first === undefined ? text : text.slice(0, first.at);
  const most = (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) * charsPerToken;
  if (cut.length > most) return { text: cut.slice(0, most), stop: { kind: "length" } };
  return { text: cut, stop: first === undefined ? ending : { kind: "stop-sequence", sequence: first.sequence } };
}

function choiceOf(request: ChatRequest, prompt: string, id: string, index: number, origin: string): Choice {
  const calls = calledTools(request, prompt).map((tool, position) => callBlock(tool, `${id}_${index}`, position));
  const thinks =
    request.reasoning?.adaptive || request.reasoning?.budgetTokens || (request.reasoning?.effort ?? "none") !== "none";
  const thinking: Block[] = thinks
    ? [{ type: "thinking", text: "The sandbox is reasoning.", signature: { origin, data: `sandbox-${id}` } }]
    : [];
  const reply = bounded(request, spoken(request, prompt, index), { kind: "end" });
  const text: Block[] = calls.length > 0 || reply.text === "" ? [] : [{ type: "text", text: reply.text }];
  return {
    index,
    blocks: [...thinking, ...text, ...calls],
    finishReason: calls.length > 0 ? { kind: "tool-use" } : reply.stop,
  };
}

/** The input tokens of the conversation, counted without copying its text. */
export function inputTokens(request: ChatRequest): number {
  const blocks = [...request.system, ...request.messages.flatMap((message) => message.blocks)];
  return Math.ceil(blocks.reduce((sum, block) => sum + ("text" in block ? block.text.length : 0), 0) / charsPerToken);
}

function usageOf(request: ChatRequest, choices: readonly Choice[]): Usage {
  const blocks = choices.flatMap((choice) => choice.blocks);
  const shown = blocks.map((block) =>
    block.type === "tool-call" ? block.input : block.type === "text" ? block.text : "",
  );
  const thought = blocks.map((block) => (block.type === "thinking" ? block.text : ""));
  return {
    inputTokens: inputTokens(request),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: tokens(shown.join("")),
    reasoningTokens: tokens(thought.join("")),
  };
}

/** The complete reply. */
export function chatReply(request: ChatRequest, origin: string): ChatResponse {
  const id = fingerprint(request);
  const prompt = withoutDirectives(lastPrompt(request));
  const choices = Array.from({ length: request.choices }, (_, index) => choiceOf(request, prompt, id, index, origin));
  return {
    operation: "chat",
    id: `sandbox-${id}`,
    model: `sandbox/${request.model}`,
    choices,
    usage: usageOf(request, choices),
  };
}
