// A provider whose chat models moderate, because the catalog says so.
import type { ChatAnswer, ChatAsk } from "../canonical/chat.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { type JudgeForm, judgeIn } from "../dialects/index.ts";
import type { Provider } from "./provider.ts";

const isChat = (dialect: Dialect): dialect is Dialect<ChatAsk, ChatAnswer> => dialect.operation === "chat";

/** The same provider, asked for moderation by chat alone: in all of its chat dialects, in their order. */
export function asJudge(provider: Provider, form: JudgeForm): Provider {
  const chatOf = new Map<Dialect, Dialect>(provider.dialects.filter(isChat).map((chat) => [judgeIn(chat, form), chat]));
  const spoken = (dialect: Dialect): Dialect => chatOf.get(dialect) ?? dialect;
  return {
    ...provider,
    dialects: [...provider.dialects.filter(({ operation }) => operation !== "moderate"), ...chatOf.keys()],
    speaks: (dialect, model) => provider.speaks?.(spoken(dialect), model) ?? true,
    send: (shipment) => provider.send({ ...shipment, dialect: spoken(shipment.dialect) }),
  };
}
