// `GET /admin/api/requests/export`: every request that matches, as a file that is written as its client reads it.
import { Type } from "typebox";
import { type ExportFormat, type ExportWriter, exportFormats, exportWriters } from "../admin/export-requests.ts";
import { closed } from "../admin/fields.ts";
import { requireVerb } from "../admin/permissions.ts";
import { readPage, refuseUnknown } from "../admin/query.ts";
import { requestFilterOf, requestFilters } from "../admin/resources/requests.ts";
import type { LedgerReader } from "../gateway/ledger/reader.ts";
import type { RequestListFilter } from "../gateway/ledger/request-list.ts";
import type { JsonObject } from "../lib/json.ts";
import { adminCaller, type CallerParts } from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";
import { queryOf } from "./target.ts";
import { validate } from "./validate.ts";

interface ExportParts extends CallerParts {
  readonly reader: Pick<LedgerReader, "requests">;
}

/** Rows that are read and written at once. */
const pageRows = 500;

const types: { readonly [format in ExportFormat]: string } = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
};

const filters = Type.Object(
  {
    format: Type.Enum([...exportFormats], { type: "string", description: "Format of the file." }),
    ...requestFilters.properties,
  },
  closed,
);
const names = Object.keys(filters.properties);

/** Texts of a file, a page of rows each; none of it is read before it is wanted. */
async function* textsOf({ reader }: ExportParts, filter: RequestListFilter, writer: ExportWriter) {
  let cursor: string | null = null;
  let isFirst = true;
  yield writer.head;
  do {
    const { rows, next } = await reader.requests({ filter, limit: pageRows, ...(cursor === null ? {} : { cursor }) });
    const text = rows.map(writer.row).join(writer.separator);
    if (text !== "") yield isFirst ? text : `${writer.separator}${text}`;
    if (text !== "") isFirst = false;
    cursor = next;
  } while (cursor !== null);
  yield writer.tail;
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next();
        if (isOver) return;
        if (done) controller.close();
        else controller.enqueue(Buffer.from(value));
      },
      cancel() {
        isOver = true;
      },
    },
    { highWaterMark: 0 },
  );
}

async function handle(parts: ExportParts, context: HandlerContext): Promise<Response> {
  const { request, requestId } = context;
  const principal = await adminCaller(parts, context);
  requireVerb(principal, "requests", "list");
  const query = queryOf(request);
  refuseUnknown(query, names);
  const given = readPage(query, "requests", { filters, position: [] }, validate).filters;
  const { format, ...others } = given as { format: ExportFormat } & JsonObject;
  const filter = requestFilterOf(principal, others as Record<string, string | number | undefined>);
  const body = streamOf(textsOf(parts, filter, exportWriters[format](principal)));
  const headers = {
    "content-type": types[format],
    "content-disposition": `attachment; filename="requests.${format}"`,
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
  return new Response(body, { headers });
}

/** The row of the file. */
export function exportEndpoint(parts: () => ExportParts): HandlerEndpoint {
  return {
    kind: "plain",
    method: "GET",
    path: "/admin/api/requests/export",
    operationId: "exportRequests",
    summary: "Returns every request that matches, newest first, as a CSV or JSON file.",
    access: { key: "admin" },
    ...protocols.openai,
    tag: "Admin",
    replyTypes: ["text/csv", "application/json"],
    query: Object.entries(filters.properties).map(([name, schema]) => ({
      name,
      description: String((schema as { description?: string }).description),
      schema: JSON.parse(JSON.stringify(schema)) as JsonObject,
    })),
    handle: (context) => handle(parts(), context),
  };
}
