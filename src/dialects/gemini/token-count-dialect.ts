// The dialect of Google's countTokens.
import type { CountAnswer, CountAsk } from "../../canonical/token-count.ts";
import { noUsage } from "../../canonical/usage.ts";
import { isObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { geminiErrors } from "./error.ts";
import { fieldPath } from "./field-names.ts";
import { callPath, renderRequest } from "./request.ts";
import { countCall, countSchema, parseCount, readCount, renderCount } from "./token-count.ts";

function parseReply(wire: unknown): CountAnswer {
  const inputTokens = isObject(wire) ? readCount(wire) : null;
  if (inputTokens === null) throw badReply("it holds no count of tokens");
  return { operation: "count", inputTokens, usage: noUsage };
}

export const geminiCount: Dialect<CountAsk, CountAnswer> = {
  name: "gemini-count",
  operation: "count",
  request: {
    schema: countSchema,
    parse(wire, envelope) {
      const chat = parseCount(wire, envelope);
      return { operation: "count", model: chat.model, stream: false, chat, extras: [] };
    },
    render(ask, context) {
      const { call, warnings } = renderRequest(ask.chat, context);
      const generateContentRequest = { ...call.body, model: `models/${context.model}` };
      return { call: { path: callPath(context.model, "countTokens"), body: { generateContentRequest } }, warnings };
    },
    fieldPath,
  },
  response: { parse: parseReply, render: (answer) => renderCount(answer.inputTokens) },
  verbatim: { call: countCall },
  error: geminiErrors,
};
