// Quirks of compatible servers in responses, patched into the form of their dialect.
// Every one has a fixture `test/fixtures/providers/<kind>/reply-*.json` with what is given and what is read; a test demands it.
import { splitContent } from "../dialects/openai-chat/response.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { ResponsePatch } from "./provider.ts";

/** Usage under a member of the server's own. */
export const usageInXGroq: ResponsePatch = {
  marker: '"x_groq"',
  patch: (body) =>
    isObject(body.x_groq) && isObject(body.x_groq.usage) && !isObject(body.usage)
      ? { ...body, usage: body.x_groq.usage }
      : body,
};

/** Usage inside the last choice of a stream. */
export const usageInChoice: ResponsePatch = {
  marker: '"usage"',
  patch(body) {
    const [choice] = Array.isArray(body.choices) ? body.choices : [];
    return isObject(choice) && isObject(choice.usage) && !isObject(body.usage)
      ? { ...body, usage: choice.usage }
      : body;
  },
};

function plainContent(message: JsonObject): JsonObject {
  if (!Array.isArray(message.content)) return message;
  const { text, thinking } = splitContent(message.content);
  return { ...message, content: text, ...(thinking === "" ? {} : { reasoning_content: thinking }) };
}

/** Content as parts among which there is thinking: the dialect's clients know content as a string. */
export const thinkingInContent: ResponsePatch = {
  marker: '"thinking"',
  patch(body) {
    if (!Array.isArray(body.choices)) return body;
    const choices = body.choices.map((choice) => {
      if (!isObject(choice)) return choice;
      if (isObject(choice.message)) return { ...choice, message: plainContent(choice.message) };
      return isObject(choice.delta) ? { ...choice, delta: plainContent(choice.delta) } : choice;
    });
    return { ...body, choices };
  },
};
