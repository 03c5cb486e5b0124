// Habits of compatible servers in what they answer, mended into the words of their dialect.
import { splitContent } from "../dialects/openai-chat/response.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { ReplyPatch } from "./provider.ts";

/** Usage under a member of the server's own. */
export const usageInXGroq: ReplyPatch = {
  sign: '"x_groq"',
  mend: (body) =>
    isObject(body.x_groq) && isObject(body.x_groq.usage) && !isObject(body.usage)
      ? { ...body, usage: body.x_groq.usage }
      : body,
};

/** Usage inside the last choice of a stream. */
export const usageInChoice: ReplyPatch = {
  sign: '"usage"',
  mend(body) {
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
export const thinkingInContent: ReplyPatch = {
  sign: '"thinking"',
  mend(body) {
    if (!Array.isArray(body.choices)) return body;
    const choices = body.choices.map((choice) => {
      if (!isObject(choice)) return choice;
      if (isObject(choice.message)) return { ...choice, message: plainContent(choice.message) };
      return isObject(choice.delta) ? { ...choice, delta: plainContent(choice.delta) } : choice;
    });
    return { ...body, choices };
  },
};
