// The size of a request before anything is sent: its limits on tokens, and the units that it requests.
import { imageCount } from "../../canonical/image.ts";
import type { BilledUnits, TokenBucket } from "../../canonical/usage.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { type CacheWrites, type PricedTool, pricedTier, pricedTools } from "../../dialects/cost-fields.ts";
import { approximateInput, inputBound, type MediaTokens, mediaTokens, noMedia } from "../../dialects/tokens/figures.ts";
import { requestParts } from "../../dialects/tokens/request-parts.ts";
import type { RequestSize } from "../policy/policy.ts";
import type { Candidate, RequestNeeds } from "../routing/catalog.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import { familyOf } from "./usage-estimate.ts";

const docsPerSearch = 100;
/** A lower output limit is useless to most clients. */
const leastTokens = 1_024;
const msPerSecond = 1_000;

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class ModelRequestSize implements RequestSize {
  declare private readonly of: GatewayRequest;

  constructor(of: GatewayRequest) {
    this.of = of;
  }

  inputBound(candidates: readonly Candidate[]): number {
    return this.of.outline.operation === "count" ? 0 : inputBound(this.of.input, candidates.map(familyOf));
  }

  /** Only chat has output that is billed by the token. */
  outputBound(): number | null {
    const { operation, maxOutputTokens, choices } = this.of.outline;
    if (operation !== "chat") return 0;
    return maxOutputTokens === undefined ? null : maxOutputTokens * choices;
  }

  leastOutput(): number {
    const { maxOutputTokens = leastTokens, choices, reasoning } = this.of.outline;
    const thinking = reasoning?.budgetTokens === undefined ? 0 : reasoning.budgetTokens + 1;
    return Math.max(Math.min(maxOutputTokens, leastTokens), thinking) * choices;
  }

  get isStream(): boolean {
    return this.of.outline.stream;
  }

  get isStrict(): boolean {
    return this.of.strict;
  }

  cacheWrites(): CacheWrites {
    return this.of.outline.parts.cacheWrites;
  }

  get cachePath(): string {
    return this.of.dialect.request.fieldPath("cache");
  }

  mediaInput(candidates: readonly Candidate[]): MediaTokens {
    return mediaTokens(this.of.outline.parts, candidates.map(familyOf));
  }

  mediaOutput(): readonly TokenBucket[] {
    return this.of.outline.mediaOutput;
  }

  tier(): string | null {
    return pricedTier(this.of.outline.tier);
  }

  get tierPath(): string {
    return this.of.dialect.request.fieldPath("tier");
  }

  pricedTools(): readonly PricedTool[] {
    const { tools } = this.of.outline;
    return tools.length === 0 ? [] : pricedTools(tools);
  }

  needs(): RequestNeeds {
    const { outline, input } = this.of;
    const format = (): boolean => this.of.request.operation === "chat" && this.of.request.format?.type === "schema";
    return {
      images: outline.parts.images.length > 0,
      tools: outline.tools.length > 0,
      inputTokens: approximateInput(input),
      outputTokens: outline.maxOutputTokens ?? 0,
      // The request is built only where a candidate cannot do it.
      get jsonSchema() {
        return format();
      },
    };
  }

  units(): readonly BilledUnits[] {
    const { outline } = this.of;
    if (outline.operation === "chat" || outline.operation === "count" || outline.operation === "embed") return [];
    return unitsOf(this.of);
  }
}

function unitsOf({ request }: GatewayRequest): readonly BilledUnits[] {
  if (request.operation === "image") {
    const { size, quality } = request;
    const isExact = size?.width !== undefined && size.height !== undefined;
    const variant = {
      ...(isExact ? { size: `${size.width}x${size.height}` } : {}),
      ...(quality === undefined ? {} : { quality }),
    };
    return [{ kind: "images", amount: imageCount(request), ...variant }];
  }
  if (request.operation === "rerank")
    return [{ kind: "searches", amount: Math.ceil(request.documents.length / docsPerSearch) }];
  const units = requestParts(request).units?.();
  return units === undefined ? [] : [units];
}

export const requestSize = (of: GatewayRequest): RequestSize => new ModelRequestSize(of);

/** The longest default video of any provider. */
const usualVideoSeconds = 10;

/** A video is billed by the second. */
export function videoSize({ seconds = usualVideoSeconds, n, resolution }: VideoRequest): RequestSize {
  const size = resolution === undefined ? {} : { size: resolution };
  const units: readonly BilledUnits[] = [{ kind: "videoMs", amount: Math.ceil(seconds * n * msPerSecond), ...size }];
  return {
    ...{ inputBound: () => 0, outputBound: () => 0, leastOutput: () => 0, units: () => units },
    ...{ isStream: false, isStrict: false, cacheWrites: () => "none", tier: () => null, tierPath: "" },
    ...{ pricedTools: () => [], mediaInput: () => noMedia, mediaOutput: () => [], cachePath: "" },
  };
}
