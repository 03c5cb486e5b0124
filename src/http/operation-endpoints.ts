// The rows of Google's videos: create, poll an operation by its name, download files.
import { fileOf, geminiVideo, operationId, operationRequest } from "../dialects/video/index.ts";
import type { HandlerEndpoint } from "./endpoint.ts";
import { googleKey } from "./gemini-endpoints.ts";
import { googlePrefixes, type Prefix } from "./google-prefixes.ts";
import { contentAt } from "./openai-videos.ts";
import { askTask, countPoll, readValid, submitTask, type VideoPartsOf } from "./videos.ts";

const common = { kind: "plain", access: googleKey, errors: geminiVideo.error, idHeaders: [] } as const;

function rowsUnder(parts: VideoPartsOf, { prefix, models, operationId: name }: Prefix): readonly HandlerEndpoint[] {
  const model = `${prefix}${models}/{model...}`;
  return [
    {
      ...common,
      method: "POST",
      path: `${model}:predictLongRunning`,
      operationId: `${name}Video`,
      summary: "Generates a video, in Google's format.",
      body: { schema: geminiVideo.schema },
      handle: (visit) => submitTask(parts, geminiVideo, visit),
    },
    {
      ...common,
      method: "POST",
      path: `${model}:fetchPredictOperation`,
      operationId: `${name}FetchOperation`,
      summary: "Retrieves the status of a video by the name of its operation in the body.",
      body: { schema: operationRequest },
      async handle(visit) {
        countPoll(parts, visit);
        const { wire } = await readValid(parts, visit, operationRequest, false);
        return askTask(parts, geminiVideo, visit, operationId(String(wire.operationName)));
      },
    },
    {
      ...common,
      method: "GET",
      path: `${model}/operations/{operation_id}`,
      operationId: `${name}Operation`,
      summary: "Retrieves the status of a video.",
      handle: (visit) => askTask(parts, geminiVideo, visit, visit.params.operation_id ?? ""),
    },
  ];
}

/** Downloads: the name may be a whole URL, because the SDK inserts one that does not start with https. */
const download = (parts: VideoPartsOf, version: string, name: string): HandlerEndpoint => ({
  ...common,
  method: "GET",
  path: `${version}/files/{file...}:download`,
  operationId: name,
  summary: "Downloads a completed video.",
  replyTypes: ["video/mp4"],
  handle: (visit) => contentAt(parts, visit, fileOf(visit.params.file ?? "")),
});

/** All rows. They come before the rows of models, whose names may contain slashes. */
export function geminiVideoRows(parts: VideoPartsOf): readonly HandlerEndpoint[] {
  return [
    ...googlePrefixes.flatMap((prefix) => rowsUnder(parts, prefix)),
    download(parts, "/v1beta", "downloadV1BetaFile"),
    download(parts, "/v1", "downloadV1File"),
    download(parts, "/v1beta1", "downloadVertexFile"),
  ];
}
