// The table of endpoints: every path of the gateway, its key rule, and its handler.

import type { Readiness } from "../gateway/pipeline/readiness.ts";
import type { Budgets } from "../gateway/policy/budgets.ts";
import type { EndUsers } from "../gateway/policy/end-users.ts";
import type { Rates } from "../gateway/policy/rates.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { ModelLists } from "../gateway/routing/model-lists.ts";
import { servesImages } from "../gateway/routing/resolve.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { Clock } from "../lib/clock.ts";
import { audioEndpoints } from "./audio-endpoints.ts";
import { compressed } from "./compress.ts";
import type { Endpoint, KeyRule } from "./endpoint.ts";
import { geminiEndpoints, googleKey } from "./gemini-endpoints.ts";
import { livez, readyz } from "./health.ts";
import type { AnswerOnce } from "./idempotent.ts";
import { imageEndpoints } from "./image-endpoints.ts";
import { getModel, listModels } from "./models.ts";
import { document } from "./openapi/document.ts";
import { geminiVideoRows } from "./operation-endpoints.ts";
import { bundleReader } from "./pages/bundle.ts";
import { consoleEndpoints, docsEndpoints } from "./pages/endpoints.ts";
import { type Protocol, protocolOf, protocols } from "./protocols.ts";
import type { ReadLimits } from "./read.ts";
import { root } from "./root.ts";
import { responseEndpoints, textEndpoints } from "./text-endpoints.ts";
import { getBillingUsage, getSubscription, getUsage } from "./usage.ts";
import { vectorEndpoints } from "./vector-endpoints.ts";
import { videoRows } from "./video-endpoints.ts";
import { writeJson } from "./write.ts";

/** The dependencies of the gateway's own endpoints. */
export interface EndpointDependencies {
  readonly catalog: () => Catalog;
  readonly listings: ModelLists;
  readonly readiness: Readiness;
  readonly responses: Responses;
  readonly videos: Videos;
  readonly endUsers: EndUsers;
  readonly rates: Rates;
  readonly budgets: Budgets;
  /** What the key has spent in total, in nano-dollars. */
  spentBy(keyId: string): bigint;
  readonly clock: Clock;
  /** Requests with an idempotency key. */
  readonly answerOnce: AnswerOnce;
  readonly limits: ReadLimits;
  /** Rows of the admin API; absent if a separate listener serves them. */
  readonly admin?: readonly Endpoint[];
  /** The URL at which clients reach the gateway; null: taken from each request. */
  readonly publicUrl: string | null;
}

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const anyCarrier: KeyRule = { key: "client", carriers: ["bearer", "x-api-key", "x-goog-api-key"] };
const browser: KeyRule = { key: "client", carriers: ["bearer", "query"] };
const open: KeyRule = { key: "none" };
const openaiSide = protocols.openai;

/** The rows of a separate listener for management: the admin API, the console, health, the document and its pages. */
export function adminListenerEndpoints(admin: readonly Endpoint[], readiness: Readiness): readonly Endpoint[] {
  const plain = (path: string, operationId: string, summary: string) =>
    ({ kind: "plain", method: "GET", path, operationId, summary, access: open, ...openaiSide }) as const;
  const read = bundleReader();
  const { docs, pages } = docsEndpoints(openaiSide, read, open);
  const rows: readonly Endpoint[] = [
    ...admin,
    { ...plain("/livez", "livez", "Liveness probe."), handle: livez },
    { ...plain("/readyz", "readyz", "Readiness probe."), handle: readyz(() => readiness) },
    {
      ...plain("/openapi.json", "openapi", "The OpenAPI document."),
      handle: ({ request, origin, requestId }) => compressed(request, writeJson(document(rows, origin()), requestId)),
    },
    docs,
  ];
  return [...rows, ...pages, ...consoleEndpoints(openaiSide, read)];
}

const plain = (path: string, operationId: string, summary: string, access: KeyRule) =>
  ({ kind: "plain", method: "GET", path, operationId, summary, access, ...openaiSide }) as const;
const sideFor = (request: Request) => protocols[protocolOf(request)];

/** What a key can read about itself. */
function usageRows(dependencies: EndpointDependencies): readonly Endpoint[] {
  return [
    {
      ...plain("/v1/usage", "getUsage", "Retrieves what is left of the limits and budgets of this key.", anyCarrier),
      sideFor,
      handle: getUsage(() => dependencies),
    },
    {
      ...plain("/v1/dashboard/billing/subscription", "getSubscription", "The tightest budget of this key.", client),
      handle: getSubscription(() => dependencies),
    },
    {
      ...plain("/v1/dashboard/billing/usage", "getBillingUsage", "What is spent of that budget, in cents.", client),
      handle: getBillingUsage(() => dependencies),
    },
  ];
}

/** All rows. */
export function endpoints(dependencies: EndpointDependencies): readonly Endpoint[] {
  const { catalog, listings } = dependencies;
  const google = (): Protocol => "gemini";
  const read = bundleReader();
  const { docs, pages } = docsEndpoints(openaiSide, read, browser);
  const documents: readonly Endpoint[] = [
    {
      ...plain("/v1/models", "listModels", "Lists the models that this key can use.", anyCarrier),
      sideFor,
      handle: listModels(catalog, listings, protocolOf),
    },
    {
      ...plain("/v1/models/{id...}", "getModel", "Retrieves a model.", anyCarrier),
      sideFor,
      handle: getModel(catalog, listings, protocolOf),
    },
    {
      ...plain("/v1beta/models", "listGeminiModels", "Lists models in Google's format.", googleKey),
      ...protocols.gemini,
      handle: listModels(catalog, listings, google),
    },
    {
      ...plain("/v1beta/models/{id...}", "getGeminiModel", "Retrieves a model, in Google's format.", googleKey),
      ...protocols.gemini,
      handle: getModel(catalog, listings, google),
    },
    ...usageRows(dependencies),
    {
      ...plain("/", "root", "Describes the gateway.", open),
      handle: root,
    },
    { ...plain("/livez", "livez", "Liveness probe.", open), handle: livez },
    { ...plain("/readyz", "readyz", "Readiness probe.", open), handle: readyz(() => dependencies.readiness) },
    docs,
    {
      ...plain("/openapi.json", "openapi", "The OpenAPI document.", browser),
      handle: ({ request, origin, requestId }) =>
        compressed(request, writeJson(document(rows, dependencies.publicUrl ?? origin()), requestId)),
    },
  ];
  const rows = [
    ...textEndpoints,
    ...responseEndpoints(dependencies.responses),
    ...vectorEndpoints,
    ...imageEndpoints,
    ...audioEndpoints,
    ...videoRows(() => dependencies, client),
    ...geminiVideoRows(() => dependencies),
    ...geminiEndpoints((model) => servesImages(dependencies.catalog(), dependencies.listings.now, model)),
    ...documents,
    ...(dependencies.admin ?? []),
  ];
  // These files are not part of the API. The console is served where the admin API is.
  const consoleRows = dependencies.admin === undefined ? [] : consoleEndpoints(openaiSide, read);
  return [...rows, ...pages, ...consoleRows];
}
