// Short hands for what an upstream makes of a wish: the body that it is sent, the warnings, and the refusals.
import type { VideoImage, VideoRequest } from "../../../src/canonical/video.ts";
import type { VideoUpstream } from "../../../src/dialects/video/upstream.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { pixel, plainVideo, renderContext } from "./setting.ts";

type Change = Partial<VideoRequest>;

export const link = "https://example.com/a.png";
export const dataUri = `data:image/png;base64,${Buffer.from(pixel).toString("base64")}`;

export const linked = (role: VideoImage["role"], path: string = role, url = link): VideoImage => ({
  role,
  path,
  source: { kind: "url", url },
});
export const inline = (role: VideoImage["role"], path: string = role): VideoImage => ({
  role,
  path,
  source: { kind: "bytes", mediaType: "image/png", bytes: pixel },
});

/** What this upstream does with a change of the plain ask, for one of its models. */
export function submitsTo(upstream: VideoUpstream, usualModel: string) {
  const render = (change: Change = {}, model = usualModel) =>
    upstream.render({ ...plainVideo, ...change }, { ...renderContext, model });
  return {
    render,
    call: (change?: Change, model?: string) => render(change, model).call,
    body: (change?: Change, model?: string): JsonObject => render(change, model).call.body,
    effect: (change?: Change, model?: string) => render(change, model).effect,
    /** As in `approximated seconds`. */
    warnings: (change?: Change, model?: string): string[] =>
      render(change, model).warnings.map(({ code, path }) => `${code} ${path}`),
    /** The field that is refused, with the kind of the refusal. */
    refusal: (change?: Change, model?: string): string => {
      try {
        render(change, model);
      } catch (thrown) {
        const { kind, param } = thrown as { kind?: string; param?: string };
        return `${kind} ${param}`;
      }
      return "none";
    },
  };
}
