// What OpenAI's Responses API refuses, in its own words.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { madeState } from "../conversation.ts";
import { any, bracketed, list as listOf, object, oneOf, plain } from "../shape.ts";
import type { Body, Refusal } from "../vendor.ts";

export const typeOf = (item: unknown): string => text(item, "type") || "message";

/** The items of a request; a text is one message. */
export function itemsOf(body: Body): unknown[] {
  const input = at(body, "input");
  return typeof input === "string" ? [{ role: "user", content: input }] : list(body, "input");
}

/** `openai` 7.55.0, `ResponseCreateParams` and `ResponseInputItem`. */
const request = object({
  ...plain("model", "instructions", "max_output_tokens", "max_tool_calls", "temperature", "top_p", "top_logprobs"),
  ...plain("stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls", "include", "store", "background"),
  ...plain("previous_response_id", "conversation", "truncation", "context_management", "prompt", "metadata", "user"),
  ...plain("safety_identifier", "service_tier", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
  ...plain("moderation"),
  text: object(plain("format", "verbosity")),
  reasoning: object(plain("effort", "summary", "generate_summary", "context", "mode")),
  input: listOf(
    oneOf(
      "type",
      {
        message: object({ ...plain("id", "type", "role", "status", "phase"), content: any }),
        function_call: object(plain("id", "type", "call_id", "name", "arguments", "status", "namespace", "caller")),
        function_call_output: object(plain("id", "type", "call_id", "output", "status", "caller")),
        reasoning: object(plain("id", "type", "summary", "content", "encrypted_content", "status")),
        item_reference: object(plain("id", "type")),
      },
      false,
      "message",
    ),
  ),
});

const prefixes: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };
const named = (items: readonly unknown[], type: string) =>
  items.filter((item) => typeOf(item) === type).map((item) => text(item, "call_id"));
const input = "input";

/** What a thought may lead to. */
const isMessage = (item: unknown): boolean =>
  typeOf(item) === "function_call" || (typeOf(item) === "message" && text(item, "role") === "assistant");

/** A call with an id of the vendor's own, from a turn that reasoned, without the reasoning in front of it. */
function unreasoned(body: Body, made: readonly (readonly { kind: string }[])[]): unknown {
  const items = itemsOf(body);
  const didReason = made.some((parts) => parts.some(({ kind }) => kind === "thinking"));
  return items.find((item, index) => {
    if (typeOf(item) !== "function_call" || text(item, "id") === "") return false;
    const opening = items.slice(0, index).findLast((one) => !isMessage(one));
    return didReason && typeOf(opening) !== "reasoning";
  });
}

const itemOf = (body: Body, type: string): Body => itemsOf(body).find((item) => typeOf(item) === type) as Body;

export const refusals: readonly Refusal[] = [
  {
    refuses: "a member that it does not have",
    source: "https://github.com/openai/openai-python/issues/2720",
    fault(body) {
      const [stray] = request(body);
      if (stray === undefined) return undefined;
      const param = bracketed(stray);
      return { message: `Unknown parameter: '${param}'.`, param, code: "unknown_parameter" };
    },
    spoil: (body) => Object.assign(itemOf(body, "function_call"), { parsed_arguments: null }),
  },
  {
    refuses: "an id of an item that does not say what it is",
    source: "https://github.com/BigPizzaV3/CodexPlusPlus/issues/1796",
    fault(body) {
      const wrong = itemsOf(body).findIndex((item) => {
        const prefix = prefixes[typeOf(item)];
        const id = text(item, "id");
        return id !== "" && prefix !== undefined && !id.startsWith(prefix);
      });
      const item = itemsOf(body)[wrong];
      return wrong < 0
        ? undefined
        : {
            message: `Invalid 'input[${wrong}].id': '${text(item, "id")}'. Expected an ID that begins with '${prefixes[typeOf(item)]}'.`,
            param: `input[${wrong}].id`,
            code: "invalid_id_prefix",
          };
    },
    spoil: (body) => Object.assign(itemOf(body, "function_call"), { id: "item_1" }),
  },
  {
    refuses: "a call_id of more than 64 characters",
    source: "https://github.com/AnswerDotAI/fastllm/issues/45",
    fault(body) {
      const index = itemsOf(body).findIndex((item) => text(item, "call_id").length > 64);
      return index < 0
        ? undefined
        : {
            message: `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${text(itemsOf(body)[index], "call_id").length} instead.`,
            param: `input[${index}].call_id`,
            code: "string_above_max_length",
          };
    },
    spoil: (body) => Object.assign(itemOf(body, "function_call"), { call_id: `call_${"x".repeat(60)}` }),
  },
  {
    refuses: "reasoning by its id alone, where nothing is stored",
    source: "https://github.com/continuedev/continue/issues/9101",
    fault(body) {
      const bare = itemsOf(body).find((item) => typeOf(item) === "reasoning" && text(item, "encrypted_content") === "");
      return bare === undefined
        ? undefined
        : {
            message: `Item with id '${text(bare, "id")}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
            param: input,
          };
    },
    spoil: (body) => Object.assign(itemOf(body, "reasoning"), { encrypted_content: null }),
  },
  {
    refuses: "encrypted content that it did not make",
    source: "https://github.com/smallmain/vscode-unify-chat-provider/issues/178",
    fault(body, made) {
      const altered = itemsOf(body).find(
        (item) => typeOf(item) === "reasoning" && !madeState(made, text(item, "encrypted_content")),
      );
      return altered === undefined
        ? undefined
        : {
            message: `The encrypted content for item ${text(altered, "id")} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
            code: "invalid_encrypted_content",
          };
    },
    spoil: (body) => Object.assign(itemOf(body, "reasoning"), { encrypted_content: "gAAAAABother" }),
  },
  {
    refuses: "reasoning without the item that it led to",
    source: "https://github.com/continuedev/continue/issues/8933",
    fault(body) {
      const items = itemsOf(body);
      const lonely = items.find((item, index) => typeOf(item) === "reasoning" && !isMessage(items[index + 1]));
      return lonely === undefined
        ? undefined
        : {
            message: `Item '${text(lonely, "id")}' of type 'reasoning' was provided without its required following item.`,
            param: input,
          };
    },
    spoil: (body) => void list(body, "input").push(itemOf(body, "reasoning")),
  },
  {
    refuses: "an item of its own without the reasoning that led to it",
    source: "https://github.com/continuedev/continue/issues/11994",
    fault(body, { made }) {
      const item = unreasoned(body, made);
      return item === undefined
        ? undefined
        : {
            message: `Item '${text(item, "id")}' of type 'function_call' was provided without its required 'reasoning' item.`,
            param: input,
          };
    },
    spoil: (body) => void list(body, "input").splice(itemsOf(body).indexOf(itemOf(body, "reasoning")), 1),
  },
  {
    refuses: "a call without its result",
    source: "https://github.com/symgraph/GhidrAssist/issues/78",
    fault(body) {
      const answered = named(itemsOf(body), "function_call_output");
      const open = named(itemsOf(body), "function_call").find((id) => !answered.includes(id));
      return open === undefined
        ? undefined
        : { message: `No tool output found for function call ${open}.`, param: input };
    },
    spoil: (body) => void list(body, "input").pop(),
  },
  {
    refuses: "a result without its call",
    source: "https://github.com/continuedev/continue/issues/10092",
    fault(body) {
      const requested = named(itemsOf(body), "function_call");
      const orphan = named(itemsOf(body), "function_call_output").find((id) => !requested.includes(id));
      return orphan === undefined
        ? undefined
        : { message: `No tool call found for function call output with call_id ${orphan}.`, param: input };
    },
    spoil: (body) =>
      void list(body, "input").push({ type: "function_call_output", call_id: "call_other", output: "x" }),
  },
];
