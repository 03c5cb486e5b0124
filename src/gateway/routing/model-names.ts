// Replaces a provider's own name of a model in its messages by the name that the client used.
import { changed, type GatewayError } from "../../canonical/error.ts";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The message with `own` replaced by `requested`, also if a version follows it or a path precedes it. */
function renamedModel(message: string, own: string, requested: string): string {
  if (own === requested || own === "" || !message.includes(own)) return message;
  const name = new RegExp(`(?<![\\w.-])(?:[\\w.-]+/)*${escaped(own)}(?:[-.:@][\\w-]+)*(?![\\w])`, "g");
  return message.replace(name, () => requested);
}

/** The error with the client's name of the model in its message. */
export function inClientsName(error: GatewayError, own: string, requested: string): GatewayError {
  const message = renamedModel(error.message, own, requested);
  return message === error.message ? error : changed(error, { message });
}
