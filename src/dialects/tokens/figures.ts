// Two figures for the input of a request: `inputBound`, an upper bound, and the estimate of a family, approximate or
// from counted texts.
import type { FunctionTool, Tool } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { jsonChars } from "../../lib/size.ts";
import { defaultFamily, type TokenFamily } from "./families.ts";
import type { ImagePart, RequestParts, TextPart } from "./request-parts.ts";
import { type TextScan, TextScanner } from "./text-scan.ts";

/** How OpenAI counts definitions of functions: https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken. */
const perFunction = 7;
const perProperties = 3;
const perProperty = 3;
const perEnum = -3;
const perEnumItem = 3;
const afterFunctions = 12;

interface Counted {
  readonly texts: string[];
  tokens: number;
}

const word = (value: Json | undefined): string => (typeof value === "string" ? value.replace(/\.$/, "") : "");

function addProperties(schema: JsonObject, into: Counted): void {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  if (properties.length > 0) into.tokens += perProperties;
  for (const [name, property] of properties) {
    if (!isObject(property)) continue;
    into.tokens += perProperty;
    into.texts.push(`${name}:${word(property["type"])}:${word(property["description"])}`);
    const choices = property["enum"];
    if (Array.isArray(choices)) {
      into.tokens += perEnum + perEnumItem * choices.length;
      into.texts.push(...choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))));
    }
    const items = property["items"];
    addProperties(isObject(items) ? items : property, into);
  }
}

function addFunction({ name, description, parameters }: FunctionTool, into: Counted): void {
  into.tokens += perFunction;
  into.texts.push(`${name}:${word(description)}`);
  if (parameters !== undefined) addProperties(parameters, into);
}

const wireOf = (tool: Tool): unknown =>
  tool.kind === "function"
    ? { name: tool.name, description: tool.description, input_schema: tool.parameters }
    : tool.kind === "hosted"
      ? tool.wire
      : { name: tool.name, description: tool.description, format: tool.format };

/** The texts of a family for tools, and the tokens that it adds to them. */
function toolTexts(tools: readonly Tool[], family: TokenFamily): { texts: readonly string[]; tokens: number } {
  if (tools.length === 0) return { texts: [], tokens: 0 };
  const into: Counted = { texts: [], tokens: family.withTools };
  for (const tool of tools) {
    if (family.tools === "schema" && tool.kind === "function") addFunction(tool, into);
    else into.texts.push(JSON.stringify(wireOf(tool)));
  }
  if (family.tools === "schema") into.tokens += afterFunctions;
  return into;
}

/** All texts of a request as a family counts them. */
export function textsOf({ texts, tools }: RequestParts, family: TokenFamily): readonly TextPart[] {
  return [...texts, ...toolTexts(tools, family).texts.map((text) => ({ text, times: 1 }))];
}

const imageTokens = ({ size, detail }: ImagePart, { image, imageBound }: TokenFamily): number =>
  size === null ? imageBound : Math.min(image(size, detail), imageBound);

/**
 * The tokens of everything but texts: media, messages, tools, and what the client counted itself. `tools` if they were
 * already rendered.
 */
export function nonTextTokens(
  parts: RequestParts,
  family: TokenFamily,
  tools = toolTexts(parts.tools, family).tokens,
): number {
  const images = parts.images.reduce((sum, image) => sum + imageTokens(image, family), 0);
  const sound = parts.audioSeconds * family.audioPerSecond + parts.videoSeconds * family.videoPerSecond;
  const frame = parts.messages === 0 ? 0 : family.base + family.perMessage * parts.messages;
  return Math.ceil(images + sound + parts.pages * family.pageTokens + frame + tools + parts.tokens);
}

/** Counts of texts, in tokens of the family's vocabulary. */
interface CountedText {
  readonly plain: number;
  readonly cjk: number;
  /** Digits in addition to the first of each token. */
  readonly digits: number;
}

/** Tokens of a family from the counts of its vocabulary or of a scan. */
export function tokensOfText({ plain, cjk, digits }: CountedText, family: TokenFamily): number {
  return Math.ceil(plain * family.plain + cjk * family.cjk + (family.singleDigits ? digits : 0));
}

/** The scan's weights are those of o200k; the older vocabulary needs more tokens for Chinese by this factor. */
const cjkOlder = 1.57;

/** A quick estimate of scanned texts. */
export function approximateText({ plain, cjk, digits }: TextScan, family: TokenFamily): number {
  const ownCjk = family.encoding === "o200k_base" ? cjk : cjk * cjkOlder;
  return tokensOfText({ plain, cjk: ownCjk, digits }, family);
}

/** The result of one pass over a request. */
export interface InputScan {
  readonly parts: RequestParts;
  readonly scan: TextScan;
}

/** The one pass. Tools are read as JSON, whatever the family makes of them; of those behind the budget of the pass, the length is enough. */
export function scanInput(parts: RequestParts): InputScan {
  const scanner = new TextScanner();
  for (const { text, times } of parts.texts) scanner.add(text, times);
  for (const tool of parts.tools) {
    const wire = wireOf(tool);
    if (scanner.isSpent()) scanner.addUnread(jsonChars(wire));
    else scanner.add(JSON.stringify(wire));
  }
  return { parts, scan: scanner.result() };
}

/** Tokens that may be charged as audio or as images, in place of text. */
export interface MediaTokens {
  readonly audio: number;
  readonly image: number;
}

export const noMedia: MediaTokens = { audio: 0, image: 0 };

/** An upper bound for any of these families. The audio of a video and the images of document pages count too. */
export function mediaTokens(
  { images, audioSeconds, videoSeconds, pages }: RequestParts,
  families: readonly TokenFamily[],
): MediaTokens {
  if (images.length === 0 && audioSeconds + videoSeconds + pages === 0) return noMedia;
  const most = (count: (family: TokenFamily) => number): number => Math.ceil(Math.max(0, ...families.map(count)));
  return {
    audio: most((family) => (audioSeconds + videoSeconds) * family.audioPerSecond),
    image: most((family) => images.reduce((sum, image) => sum + imageTokens(image, family), pages * family.pageTokens)),
  };
}

/** As `nonTextTokens`, without walking the tools once more. */
const nonTextOf = ({ parts }: InputScan, family: TokenFamily): number =>
  nonTextTokens(parts, family, parts.tools.length === 0 ? 0 : family.withTools);

/** The maximum tokens for any of these families, for admission. */
export function inputBound(input: InputScan, families: readonly TokenFamily[]): number {
  let most = 0;
  for (const family of families) most = Math.max(most, nonTextOf(input, family));
  return Math.ceil(input.scan.bound) + most;
}

/** A fast estimate where the tokenizer would be too slow: the opening row, progress, the first event of a stream. */
export function approximateInput(input: InputScan, family: TokenFamily = defaultFamily): number {
  return approximateText(input.scan, family) + nonTextOf(input, family);
}
