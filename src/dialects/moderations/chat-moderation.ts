// A chat model as a judge: one item at a time, asked in a chat dialect, its words read as a verdict.
import type { Block, ChatAnswer, ChatAsk, TextBlock, TokenLogprob } from "../../canonical/chat.ts";
import type {
  ModerateAnswer,
  ModerateAsk,
  ModerationItem,
  ModerationPart,
  Verdict,
} from "../../canonical/moderation.ts";
import type { Call, Dialect, RenderContext, Rendered } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { readDataUri } from "../shared/media.ts";
import { noClient } from "../shared/upstream-only.ts";
import { moderateAsk, renderResponse } from "./openai.ts";
import { moderationSchema, parseRequest } from "./request.ts";

/** What a judge said: its text, and how likely each of its tokens was, where that is told. */
export interface Judgement {
  readonly text: string;
  readonly logprobs: readonly TokenLogprob[];
}

/** How judges of one kind are asked and understood. */
export interface JudgeForm {
  /** What is asked beside the turn; the first is tried first, the next where a server refuses its words or makes no sense. */
  readonly asks: readonly [Partial<ChatAsk>, Partial<ChatAsk>];
  /** A text of the item as it is put before the judge. */
  text(text: string): string;
  /** Throws `upstream_protocol_error` on words that are no verdict: what was not judged is never passed as harmless. */
  read(judgement: Judgement, item: ModerationItem | undefined): Verdict;
}

function blockOf(part: ModerationPart, form: JudgeForm): Block {
  if (part.type === "text") return { type: "text", text: form.text(part.text) };
  const source = readDataUri(part.url) ?? { kind: "url", url: part.url };
  return { type: "image", source, path: part.path };
}

function chatAsk(model: string, item: ModerationItem, form: JudgeForm, more: Partial<ChatAsk>): ChatAsk {
  return {
    operation: "chat",
    model,
    stream: false,
    system: [],
    turns: [{ role: "user", blocks: item.map((part) => blockOf(part, form)) }],
    tools: [],
    sampling: {},
    stop: [],
    choices: 1,
    extras: [],
    ...more,
  };
}

/** The first of these asks that the dialect has words for. Its warnings are about what no client asked. */
function callOf(chat: Chat, asks: readonly ChatAsk[], context: RenderContext): Call {
  const [first, ...others] = asks;
  if (first === undefined) throw badReply("nothing is left to ask");
  if (others.length === 0) return chat.request.render(first, context).call;
  try {
    return chat.request.render(first, context).call;
  } catch {
    return callOf(chat, others, context);
  }
}

function render(chat: Chat, form: JudgeForm, ask: ModerateAsk, context: RenderContext): Rendered {
  const [item] = ask.items;
  const own = { ...context, fieldPath: () => "input" };
  const [best, plain] = form.asks.map((more) => chatAsk(ask.model, item ?? [], form, more));
  const asks = [best, plain].filter((each) => each !== undefined);
  return { call: { ...callOf(chat, asks, own), again: callOf(chat, asks.slice(-1), own) }, warnings: [] };
}

const isText = (block: Block): block is TextBlock => block.type === "text";

function judgementIn(answer: ChatAnswer): Judgement {
  const [choice] = answer.choices;
  if (choice === undefined) throw badReply("the judge said nothing");
  const blocks = choice.blocks.filter(isText);
  return {
    text: blocks.map((block) => block.text).join(""),
    logprobs: blocks.flatMap((block) => block.logprobs ?? []),
  };
}

type Chat = Dialect<ChatAsk, ChatAnswer>;

/** The dialect in which a model that is asked in `chat` moderates. */
export function judgeIn(chat: Chat, form: JudgeForm): Dialect<ModerateAsk, ModerateAnswer> {
  return {
    name: `${chat.name}-judge`,
    operation: "moderate",
    request: {
      schema: moderationSchema,
      parse: parseRequest,
      render: (ask, context) => render(chat, form, ask, context),
      mostItems: () => 1,
      fieldPath: (field) => field,
    },
    response: {
      parse(wire, { origin, ask }) {
        const asked = moderateAsk(ask);
        const answer = chat.response.parse(wire, { origin });
        const verdict = form.read(judgementIn(answer), asked?.items[0]);
        const { usage } = answer;
        const model = asked?.model ?? answer.model;
        return { operation: "moderate", id: "", model, verdicts: [verdict], ...(usage === undefined ? {} : { usage }) };
      },
      render: renderResponse,
    },
    verbatim: noClient,
    error: chat.error,
  };
}
