// The sandbox: a built-in stand-in for every operation, in every dialect, for trying the gateway without an account.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import { dialects } from "../../dialects/index.ts";
import { randomId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isLargerThan } from "../../lib/size.ts";
import { type DispatchRequest, defaultTimeouts, type Provider, pathParams } from "../provider.ts";
import { pacedBody, pause } from "./delay.ts";
import { type Directives, readDirectives, sandboxModels } from "./directives.ts";
import { refuseContext } from "./limits.ts";
import { origin, type StandIn, standInFor, toldPieces } from "./operations.ts";
import { answerInThread } from "./thread.ts";
import { sandboxVideos, sendSandboxTask } from "./video.ts";
import { losses } from "./warnings.ts";

function refusal({ error, rateLimit }: Directives): Response | null {
  if (rateLimit !== null)
    return Response.json(
      {
        error: {
          message: "The sandbox was instructed to limit the rate.",
          type: "rate_limit_error",
          code: "rate_limit_exceeded",
        },
      },
      { status: 429, headers: { "retry-after": String(rateLimit) } },
    );
  if (error === null) return null;
  const body = {
    error: { message: "The sandbox was instructed to fail.", type: "sandbox_error", code: "sandbox_error" },
  };
  return Response.json(body, { status: error });
}

/** A call as the dialect reads it when a client sends it. */
function received({ call }: DispatchRequest): { wire: JsonObject; envelope: RequestMeta } {
  const envelope = { header: () => null, params: pathParams(call) };
  if (call.form === undefined) return { wire: call.body, envelope };
  const files = call.form.flatMap((part) =>
    "bytes" in part ? [{ field: part.name, name: part.fileName, type: part.type, bytes: part.bytes }] : [],
  );
  return { wire: call.body, envelope: { ...envelope, files } };
}

function bufferedResponse(response: OperationResponse, dialect: Dialect, write: WriteContext): Response {
  const document = dialect.textFormats?.render(response, write) ?? null;
  if (document !== null) return new Response(document.text, { headers: { "content-type": document.type } });
  return Response.json(dialect.response.render(response, write));
}

/** Beyond this an answer takes longer than the event loop has time for. */
const largeAsk = 16_384;
/** Operations that compute long whatever they are asked. */
const slow: ReadonlySet<OperationRequest["operation"]> = new Set(["image", "speak", "transcribe"]);

function answerOf(request: OperationRequest, standIn: StandIn): OperationResponse | Promise<OperationResponse> {
  if (request.operation === "count") return standIn.answer(request);
  return slow.has(request.operation) || isLargerThan(request, largeAsk)
    ? answerInThread(request)
    : standIn.answer(request);
}

async function send(shipment: DispatchRequest): Promise<Response> {
  const { dialect, stream, signal } = shipment;
  const { wire, envelope } = received(shipment);
  const request = dialect.request.parse(wire, envelope);
  const standIn = standInFor(request.operation);
  if (standIn === undefined) throw new GatewayError("internal_error", "The sandbox does not support this operation.");
  refuseContext(request);
  const directives = readDirectives(request.model, standIn.prompt(request));
  await pause(directives.delayMs, signal);
  const refused = refusal(directives);
  if (refused !== null) return refused;
  const createdAt = Math.floor(Date.now() / 1000);
  // Items of responses are found again by their ids, which no other response may have.
  const id = request.operation === "chat" ? randomId("sandbox-") : "sandbox";
  const write: WriteContext = { request, wire, id, createdAt, inputEstimate: 0 };
  const response = await answerOf(request, standIn);
  if (!stream) return bufferedResponse(response, dialect, write);
  const { type, pieces, breaks } = (standIn.pieces ?? toldPieces)(response, dialect, write);
  return new Response(pacedBody(pieces, directives, signal, breaks), { headers: { "content-type": type } });
}

export const sandboxProvider: Provider = {
  name: "sandbox",
  kind: "sandbox",
  origin,
  // A wire that asks several things at once is split by the corridor, so that each is answered.
  dialects: dialects.filter((dialect) => dialect.request.split === undefined),
  options: {},
  lastResort: { moderate: "moderate", image: "image", video: "video" },
  losses,
  models: sandboxModels.map((name) => `${origin}/${name}`),
  timeouts: defaultTimeouts,
  send,
  videos: [sandboxVideos],
  sendTask: sendSandboxTask,
};
