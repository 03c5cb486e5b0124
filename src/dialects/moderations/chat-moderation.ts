// Moderation by a chat model: one item per request in a chat dialect, with the reply read as a moderation result.
import type { Block, ChatRequest, ChatResponse, TextBlock, TokenLogprob } from "../../canonical/chat.ts";
import type {
  ModerationItem,
  ModerationPart,
  ModerationRequest,
  ModerationResult,
} from "../../canonical/moderation.ts";
import type { RenderContext, RenderedRequest, UpstreamDialect, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { readDataUri } from "../shared/media.ts";
import type { ModerationTable, UpstreamModeration } from "./fields.ts";
import { moderateAsk } from "./openai.ts";

/** The reply of the model: its text, and the log probabilities of its tokens, if returned. */
export interface ModerationReading {
  readonly text: string;
  readonly logprobs: readonly TokenLogprob[];
}

/** How requests for one kind of model are built and its replies read. */
export interface ModeratorForm {
  /**
   * Request fields in addition to the item; the second ones when a server refuses the first or returns an invalid
   * result.
   */
  readonly asks: readonly [Partial<ChatRequest>, Partial<ChatRequest>];
  /** Prepares a text of the item for the model. */
  text(text: string): string;
  /** Throws `upstream_protocol_error` for a text without a result: unclassified content never passes as harmless. */
  read(judgement: ModerationReading, item: ModerationItem | undefined): ModerationResult;
}

function blockOf(part: ModerationPart, form: ModeratorForm): Block {
  if (part.type === "text") return { type: "text", text: form.text(part.text) };
  const source = readDataUri(part.url) ?? { kind: "url", url: part.url };
  return { type: "image", source, path: part.path };
}

function chatAsk(model: string, item: ModerationItem, form: ModeratorForm, more: Partial<ChatRequest>): ChatRequest {
  return {
    operation: "chat",
    model,
    stream: false,
    system: [],
    messages: [{ role: "user", blocks: item.map((part) => blockOf(part, form)) }],
    tools: [],
    sampling: {},
    stopSequences: [],
    choices: 1,
    unmappedFields: [],
    ...more,
  };
}

/**
 * The first of these requests that the dialect can render. Its warnings are dropped, because the client did not send
 * these fields.
 */
function callOf(chat: Chat, requests: readonly ChatRequest[], context: RenderContext): UpstreamRequest {
  const [first, ...others] = requests;
  if (first === undefined) throw invalidUpstreamResponse("there are no inputs to moderate");
  if (others.length === 0) return chat.request.render(first, context).call;
  try {
    return chat.request.render(first, context).call;
  } catch {
    return callOf(chat, others, context);
  }
}

function render(chat: Chat, form: ModeratorForm, request: ModerationRequest, context: RenderContext): RenderedRequest {
  const [item] = request.items;
  const own = { ...context, fieldPath: () => "input" };
  const [best, plain] = form.asks.map((more) => chatAsk(request.model, item ?? [], form, more));
  const requests = [best, plain].filter((each) => each !== undefined);
  return { call: { ...callOf(chat, requests, own), again: callOf(chat, requests.slice(-1), own) }, warnings: [] };
}

const isText = (block: Block): block is TextBlock => block.type === "text";

function judgementIn(response: ChatResponse): ModerationReading {
  const [choice] = response.choices;
  if (choice === undefined) throw invalidUpstreamResponse("the moderation model returned no text");
  const blocks = choice.blocks.filter(isText);
  return {
    text: blocks.map((block) => block.text).join(""),
    logprobs: blocks.flatMap((block) => block.logprobs ?? []),
  };
}

type Chat = UpstreamDialect<ChatRequest, ChatResponse>;

/** Converted to messages of a chat request, which the chat format's own table renders. */
const fields: ModerationTable = {
  items: { path: "messages", render: () => undefined },
  mixed: { path: "messages", carriedBy: "items" },
};

/** The dialect in which a model of the dialect `chat` moderates. */
export function moderatorIn(chat: Chat, form: ModeratorForm): UpstreamModeration {
  return {
    name: `${chat.name}-moderator`,
    operation: "moderate",
    request: {
      fields,
      render: (canonicalRequest, context) => render(chat, form, canonicalRequest, context),
      maxItems: () => 1,
    },
    response: {
      parse(wire, { origin, request }) {
        const moderation = moderateAsk(request);
        const response = chat.response.parse(wire, { origin });
        const verdict = form.read(judgementIn(response), moderation?.items[0]);
        const { usage } = response;
        const model = moderation?.model ?? response.model;
        return { operation: "moderate", id: "", model, verdicts: [verdict], ...(usage === undefined ? {} : { usage }) };
      },
    },
    error: chat.error,
  };
}
