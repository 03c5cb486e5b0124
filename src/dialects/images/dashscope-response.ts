// DashScope's image replies, as a conversation or at the end of a task, and its errors.
import type { GeneratedImage, ImageResponse } from "../../canonical/image.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { ErrorCodec } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn, optionalText } from "../shared/json-accessors.ts";
import { errorsWith } from "../vendor-errors.ts";
import { withPolicy } from "./content-policy.ts";
import { imageUsage, parseReply } from "./response.ts";

/** Tasks end with a code and no status. https://www.alibabacloud.com/help/en/model-studio/error-code */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^(?:DataInspection|InvalidParameter|InvalidURL|BadRequest|IPInfringement)/i, 400],
  [/^Arrearage/, 402],
  [/^InvalidApiKey/, 401],
  [/AccessDenied/, 403],
  [/NotFound/, 404],
  [/^Throttling/, 429],
  [/^ModelUnavailable/, 503],
  [/Timeout/, 504],
];

export const dashscopeImageErrors: ErrorCodec = withPolicy(
  errorsWith({ codes: { Arrearage: 402, InvalidApiKey: 401, IPInfringementSuspect: 400 } }),
);

/** The error of a body that has only a code and a message. */
function errorOf(body: JsonObject): Error {
  const code = String(body.code ?? "");
  const status = statuses.find(([words]) => words.test(code))?.[1] ?? 500;
  return dashscopeImageErrors.parse(status, { code, message: body.message ?? "The task failed." });
}

const url = (text: string): GeneratedImage["source"] => ({ kind: "url", url: text });

/** Several images are parts of one choice, or choices of their own. */
function fromChoices(choices: Json | undefined): GeneratedImage[] {
  const contents = objectsIn(choices).flatMap(({ message }) => objectsIn(isObject(message) ? message.content : []));
  return contents.flatMap(({ image }) => (typeof image === "string" && image !== "" ? [{ source: url(image) }] : []));
}

function fromResults(results: Json | undefined): GeneratedImage[] {
  return objectsIn(results).flatMap((item): GeneratedImage[] =>
    typeof item.url === "string" && item.url !== ""
      ? [{ source: url(item.url), ...optionalText(item, "actual_prompt", "revisedPrompt") }]
      : [],
  );
}

function refuseFailure(output: JsonObject, images: readonly GeneratedImage[]): void {
  const { task_status: status } = output;
  if (status !== undefined && status !== "SUCCEEDED") throw errorOf(output);
  if (images.length > 0) return;
  const [failed] = objectsIn(output.results).filter(({ code }) => typeof code === "string");
  throw failed === undefined ? invalidUpstreamResponse("the response has no image") : errorOf(failed);
}

function sizeOf({ width, height }: JsonObject): { readonly size?: string } {
  return typeof width === "number" && typeof height === "number" ? { size: `${width}x${height}` } : {};
}

/** Throws the error that a body contains instead of images. Relays of this API use OpenAI's error shape. */
export function parseDashscope(wire: unknown): ImageResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  if (!isObject(wire.output)) {
    if (typeof wire.code === "string") throw errorOf(wire);
    return parseReply(wire);
  }
  const { output } = wire;
  const images = [...fromChoices(output.choices), ...fromResults(output.results)];
  refuseFailure(output, images);
  const usage = isObject(wire.usage) ? wire.usage : {};
  const { image_count: count } = usage;
  return {
    operation: "image",
    model: "",
    images,
    ...sizeOf(usage),
    ...imageUsage(typeof count === "number" && count > 0 ? Math.round(count) : images.length),
  };
}
