// A provider whose chat models moderate, because the catalog says so.
import type { ChatRequest, ChatResponse } from "../canonical/chat.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { judgeIn, type ModeratorForm } from "../dialects/index.ts";
import type { Provider } from "./provider.ts";

const isChat = (dialect: Dialect): dialect is Dialect<ChatRequest, ChatResponse> => dialect.operation === "chat";

/** The same provider, asked for moderation by chat alone: in all of its chat dialects, in their order. */
export function asModerator(provider: Provider, form: ModeratorForm): Provider {
  const chatOf = new Map<Dialect, Dialect>(provider.dialects.filter(isChat).map((chat) => [judgeIn(chat, form), chat]));
  const spoken = (dialect: Dialect): Dialect => chatOf.get(dialect) ?? dialect;
  return {
    ...provider,
    dialects: [...provider.dialects.filter(({ operation }) => operation !== "moderate"), ...chatOf.keys()],
    speaks: (dialect, model) => provider.speaks?.(spoken(dialect), model) ?? true,
    send: (shipment) => provider.send({ ...shipment, dialect: spoken(shipment.dialect) }),
  };
}
