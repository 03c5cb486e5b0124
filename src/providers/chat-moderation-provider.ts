// A provider whose chat models moderate, because the catalog says so.
import type { ChatRequest, ChatResponse } from "../canonical/chat.ts";
import type { UpstreamDialect } from "../dialects/dialect.ts";
import { type ModeratorForm, moderatorIn } from "../dialects/index.ts";
import type { Provider } from "./provider.ts";

const isChat = (dialect: UpstreamDialect): dialect is UpstreamDialect<ChatRequest, ChatResponse> =>
  dialect.operation === "chat";

/** The same provider with moderation by its chat models only, in all of its chat dialects. One inside the process moderates by itself. */
export function asModerator(provider: Provider, form: ModeratorForm): Provider {
  const { kind, dispatch } = provider;
  if (dispatch.form === "canonical") return provider;
  const chatOf = new Map<UpstreamDialect, UpstreamDialect>(
    kind.dialects.filter(isChat).map((chat) => [moderatorIn(chat, form), chat]),
  );
  const spoken = (dialect: UpstreamDialect): UpstreamDialect => chatOf.get(dialect) ?? dialect;
  return {
    ...provider,
    kind: {
      ...kind,
      dialects: [...kind.dialects.filter(({ operation }) => operation !== "moderate"), ...chatOf.keys()],
      supports: (dialect, model) => kind.supports?.(spoken(dialect), model) ?? true,
    },
    dispatch: { ...dispatch, send: (request) => dispatch.send({ ...request, dialect: spoken(request.dialect) }) },
  };
}
