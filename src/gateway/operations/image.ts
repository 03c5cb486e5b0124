// Splits requests for more images than one call of an upstream can generate.
import { type ImageRequest, type ImageResponse, imageCount } from "../../canonical/image.ts";
import { sumUsage } from "../../canonical/usage.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { OperationRules } from "./operation.ts";

export const image: OperationRules<ImageRequest, ImageResponse> = {
  // A stream is not split.
  itemCount: (request) => (request.stream ? 1 : imageCount(request)),
  split(request, maxItems) {
    const wanted = request.n ?? 1;
    if (wanted <= maxItems) return [request];
    return Array.from({ length: Math.ceil(wanted / maxItems) }, (_, call) => ({
      ...request,
      n: Math.min(maxItems, wanted - call * maxItems),
    }));
  },
  merge(responses) {
    const [first] = responses;
    if (first === undefined) throw invalidUpstreamResponse("the response has no image");
    const usage = sumUsage(responses.map((response) => response.usage));
    return {
      ...first,
      images: responses.flatMap((response) => response.images),
      ...(usage === undefined ? {} : { usage }),
    };
  },
};
