// Short hands for asks and answers of the video wires.
import type { VideoRequest } from "../../../src/canonical/video.ts";
import type { UpstreamAnswer, UpstreamTask, VideoRenderContext } from "../../../src/dialects/video/upstream.ts";

export const plainVideo: VideoRequest = {
  operation: "video",
  model: "m",
  prompt: "a cat",
  images: [],
  n: 1,
  metadata: {},
};

/** A client whose wire has canon's own names. */
export const renderContext: VideoRenderContext = { model: "up-model", taskId: "task_1", fieldPath: (field) => field };

export const answered = (status: number, body: unknown): UpstreamAnswer => ({ status, body, headers: new Headers() });

export const upstreamTask: UpstreamTask = { id: "task_1", upstreamId: "up/1", model: "up-model", upstreamState: {} };

/** The smallest PNG: one pixel. */
export const pixel = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
