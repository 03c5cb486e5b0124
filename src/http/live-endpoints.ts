// `GET /admin/api/requests/live`: requests as they begin and settle, as an event stream that can be resumed.
import { Type } from "typebox";
import { closed, shortText } from "../admin/fields.ts";
import { createLiveReader, type LiveChange, type LiveFilter, type LiveSource } from "../admin/live-requests.ts";
import { type Principal, requireVerb } from "../admin/permissions.ts";
import { refuseUnknown } from "../admin/query.ts";
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import { adminCaller, type CallerParts } from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";
import { queryOf } from "./target.ts";
import { validated } from "./validate.ts";
import { streamHeaders } from "./write.ts";

export interface LiveParts extends CallerParts {
  readonly live: LiveSource;
  /** The process is about to stop: streams end, so that clients go elsewhere. */
  isEnding(): Promise<boolean>;
}

const tickMs = 1_000;
const heartbeatTicks = 15;
/** A stream ends after so long, and its client continues with a credential that is checked again. */
const maxTicks = 300;
/** Nothing is produced for a client that does not read, so that only a timer ends its stream. */
const longestMs = (maxTicks + 30) * tickMs;
const maxReaders = 20;
/** How often it is checked whether the client may still see the stream. */
const checkTicks = 2;

const filters = Type.Object(
  {
    key_id: Type.Optional(shortText("Only of this key.")),
    project_id: Type.Optional(shortText("Only of this project.")),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Only for this model." })),
    provider: Type.Optional(shortText("Only answered by this provider.")),
    operation: Type.Optional(shortText("Only of this operation.")),
  },
  closed,
);

const names = Object.keys(filters.properties);
const eventText = ({ id, data }: LiveChange): string => `id: ${id}\nevent: requests\ndata: ${JSON.stringify(data)}\n\n`;

interface Watch {
  readonly parts: Pick<LiveParts, "isEnding">;
  readonly next: () => Promise<LiveChange>;
  readonly onEnd: () => void;
  /** The client has left. */
  readonly isOver: () => boolean;
  /** Whether the client may still see what it could see at first. */
  readonly isAllowed: () => Promise<boolean>;
  /** When the stream is cut off, if its client has not read it to the end. */
  readonly cutAfterMs: number;
}

/** Read by its client: a slow one gets fewer and larger changes, and nothing is queued. */
export function streamOf({ parts, next, onEnd, isOver, isAllowed, cutAfterMs }: Watch): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    onEnd();
  };
  let ticks = 0;
  let silent = 0;
  const step = async (): Promise<string | null> => {
    if (ticks++ >= maxTicks) return null;
    if (ticks > 1) await Bun.sleep(tickMs);
    if (isOver() || (await parts.isEnding())) return null;
    if (ticks % checkTicks === 0 && !(await isAllowed())) return null;
    const change = await next();
    if (!change.isEmpty || ticks === 1) {
      silent = 0;
      return eventText(change);
    }
    return ++silent % heartbeatTicks === 0 ? ": \n\n" : "";
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(() => {
          if (isOver()) return;
          end();
          controller.error(new Error("The client does not read the stream."));
        }, cutAfterMs);
      },
      async pull(controller) {
        for (;;) {
          const text = await step().catch((thrown: unknown) => {
            end();
            throw thrown;
          });
          if (isOver()) return end();
          if (text === null) {
            controller.close();
            return end();
          }
          if (text !== "") return controller.enqueue(Buffer.from(text));
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A caller whose session, key or roles have changed loses the stream; it may begin another one with what it has now. */
async function hasSameRoles(parts: LiveParts, context: HandlerContext, { roles }: Principal): Promise<boolean> {
  try {
    return (await adminCaller(parts, context)).roles.join() === roles.join();
  } catch (thrown) {
    // An address that waits because of others keeps what it has.
    return !(thrown instanceof GatewayError && thrown.kind === "invalid_api_key");
  }
}

const placeForm = /^[a-z0-9]+\.\d{1,15}$/;

function createHandle(): (parts: LiveParts, context: HandlerContext) => Promise<Response> {
  let readers = 0;
  return async (parts, context) => {
    const { request, requestId } = context;
    const principal = await adminCaller(parts, context);
    requireVerb(principal, "requests", "list");
    const query = queryOf(request);
    refuseUnknown(query, names);
    const filter = validated(filters, Object.fromEntries(query) as JsonObject) as LiveFilter;
    const given = request.headers.get("last-event-id");
    if (readers >= maxReaders)
      throw new GatewayError("rate_limit_exceeded", `More than ${maxReaders} clients watch requests.`);
    const after = given !== null && placeForm.test(given) ? given : null;
    const next = createLiveReader(parts.live, principal, filter, after);
    // Counted before anything is awaited: clients that come at once would all find a place.
    readers++;
    let isOver = false;
    const onEnd = (): void => {
      if (!isOver) readers--;
      isOver = true;
    };
    request.signal.addEventListener("abort", onEnd);
    // Fails before the stream begins where the ledger cannot be read.
    const first = await next().catch((thrown: unknown) => {
      onEnd();
      throw thrown;
    });
    let isFirst = true;
    const body = streamOf({
      ...{ parts, onEnd, isOver: () => isOver, isAllowed: () => hasSameRoles(parts, context, principal) },
      cutAfterMs: longestMs,
      next: () => {
        if (!isFirst) return next();
        isFirst = false;
        return Promise.resolve(first);
      },
    });
    return new Response(body, { headers: { ...streamHeaders, "x-request-id": requestId } });
  };
}

/** The row of the stream. */
export function liveEndpoint(parts: () => LiveParts): HandlerEndpoint {
  const handle = createHandle();
  return {
    kind: "plain",
    method: "GET",
    path: "/admin/api/requests/live",
    operationId: "watchRequests",
    summary: "Streams requests as they begin, answer and settle. `Last-Event-ID` resumes.",
    access: { key: "admin" },
    ...protocols.openai,
    tag: "Admin",
    replyTypes: ["text/event-stream"],
    query: Object.entries(filters.properties).map(([name, schema]) => ({
      name,
      description: String((schema as { description?: string }).description),
      schema: JSON.parse(JSON.stringify(schema)) as JsonObject,
    })),
    handle: (context) => handle(parts(), context),
  };
}
