// The fields of a request for stored responses that the gateway acts on, and the errors for them.
import { GatewayError } from "../../canonical/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredRefusals, StoredRequest, StoredRequests } from "../stored-responses.ts";
import { checkTrigger, withoutTrigger } from "./compact.ts";
import { inputItems } from "./parse-input.ts";

const previousField = "previous_response_id";

/** Fields for the gateway only. */
const ownFields = [previousField, "background"];

function read(wire: JsonObject): StoredRequest {
  const items = inputItems(wire.input);
  const wantsCompaction = checkTrigger(items);
  const previous = wire[previousField];
  return {
    model: String(wire.model),
    isStream: wire.stream === true,
    isStored: wire.store !== false,
    isBackground: wire.background === true,
    previousId: typeof previous === "string" && previous !== "" ? previous : null,
    items: wantsCompaction ? withoutTrigger(items) : items,
    wantsCompaction,
  };
}

function forUpstream(given: JsonObject, items: readonly JsonObject[] | null): JsonObject {
  const wire: JsonObject = { ...given };
  for (const field of ownFields) delete wire[field];
  if (given.background === true) wire.stream = true;
  if (items !== null) wire.input = [...items];
  return wire;
}

const place = /\binput\[(\d+)\]/g;

/** An error about an item that the client did not send refers to the response that it continues. */
function inClientNumbers(error: GatewayError, offset: number): GatewayError {
  const index = /^input\[(\d+)\]/.exec(error.param ?? "")?.[1];
  if (offset === 0 || index === undefined) return error;
  const moved = (text: string): string => text.replace(place, (_, at: string) => `input[${Number(at) - offset}]`);
  const isOwn = Number(index) >= offset;
  const { kind, code, status, retryAfterMs, cause } = error;
  return new GatewayError(kind, isOwn ? moved(error.message) : error.message, {
    param: isOwn ? moved(error.param ?? "") : previousField,
    code,
    status,
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

export const requests: StoredRequests = { read, forUpstream, inClientNumbers };

const invalid = (param: string, message: string, code?: string): GatewayError =>
  new GatewayError("invalid_value", message, { param, ...(code === undefined ? {} : { code }) });

export const refusals: StoredRefusals = {
  previousNotFound(id) {
    const shown = /^[\w-]{1,80}$/.test(id) ? ` '${id}'` : "";
    return invalid(previousField, `Previous response${shown} was not found.`, "previous_response_not_found");
  },
  previousNotFinished: () =>
    invalid(
      previousField,
      "The previous response is still in progress. Wait until it is complete.",
      "previous_response_not_finished",
    ),
  conversationTooLong: (maxItems) =>
    invalid(previousField, `The conversation has more than ${maxItems} items. Compact it, or start a new one.`),
  itemNotFound: (index) => invalid(`input[${index}].id`, `'input[${index}].id' is not the ID of a stored item.`),
  backgroundNotStored: () =>
    invalid(
      "background",
      "'background' requires a stored response, but 'store' is false or this gateway stores no responses.",
    ),
  backgroundCompaction: () => invalid("background", "Compaction does not support 'background'."),
  notCancellable: () => invalid("response_id", "Only a background response can be canceled."),
  notFollowable: () => invalid("stream", "Only a background response can be streamed."),
  runsElsewhere: () =>
    invalid("stream", "Another instance of the gateway is running this response. Retrieve it without 'stream'."),
  eventsGone: (first) => invalid("starting_after", `Events before sequence number ${first} are no longer available.`),
};
