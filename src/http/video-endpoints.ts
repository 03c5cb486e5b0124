// The rows of video tasks: four formats, each with its own paths to create a task and to read its status.

import type { VideoClient } from "../dialects/video/client.ts";
import {
  actionQuestion,
  jimengVideo,
  klingImageVideo,
  klingTextVideo,
  openaiVideo,
  remixSchema,
  videoGenerations,
} from "../dialects/video/index.ts";
import { actionQuery, actions } from "./action-api.ts";
import type { HandlerContext, HandlerEndpoint, KeyRule, Method } from "./endpoint.ts";
import { content, contentQuery, deleteVideo, listVideos, pageQuery, remixVideo, showsLink } from "./openai-videos.ts";
import { askTask, submitTask, type VideoPartsOf } from "./videos.ts";

interface Words {
  readonly operationId: string;
  readonly summary: string;
}

type RowOf = (
  method: Method,
  path: string,
  words: Words,
  handle: HandlerEndpoint["handle"],
  more?: Partial<HandlerEndpoint>,
) => HandlerEndpoint;

/** Rows of one format share its errors. */
function rowsOf(client: VideoClient, access: KeyRule): RowOf {
  return (method, path, words, handle, more = {}) => ({
    kind: "plain",
    method,
    path,
    ...words,
    access,
    errors: client.error,
    idHeaders: [],
    handle,
    ...more,
  });
}

/** A create request, and a status request by the id in the path. */
function pair(parts: VideoPartsOf, access: KeyRule, client: VideoClient, path: string, name: string, what: string) {
  const row = rowsOf(client, access);
  const body = { schema: client.schema };
  const submit = { operationId: `create${name}`, summary: `${what}: creates a task.` };
  const question = { operationId: `get${name}`, summary: `${what}: retrieves a task.` };
  return [
    row("POST", path, submit, (visit) => submitTask(parts, client, visit), { body }),
    row("GET", `${path}/{task_id}`, question, (visit) => askTask(parts, client, visit, visit.params.task_id ?? "")),
  ];
}

/** Clients of this format send the vendor's name in place of the neutral one. */
const nativeNames = [
  { prefix: "/videoA", name: "VideoA", summary: "Video generation in format A" },
  { prefix: "/kling", name: "Kling", summary: "Format A under its native path" },
] as const;

function formatA(parts: VideoPartsOf, access: KeyRule): readonly HandlerEndpoint[] {
  return nativeNames.flatMap(({ prefix, name, summary }) => [
    ...pair(
      parts,
      access,
      klingTextVideo,
      `${prefix}/v1/videos/text2video`,
      `${name}Text2Video`,
      `${summary} from text`,
    ),
    ...pair(
      parts,
      access,
      klingImageVideo,
      `${prefix}/v1/videos/image2video`,
      `${name}Image2Video`,
      `${summary} from an image`,
    ),
  ]);
}

const actionNames = [
  {
    path: "/videoB/",
    operationId: "createVideoBVideo",
    summary: "Video generation in format B: `Action` creates or retrieves a task.",
  },
  { path: "/jimeng/", operationId: "createJimengVideo", summary: "Format B under its native path." },
] as const;

function formatB(parts: VideoPartsOf, access: KeyRule): readonly HandlerEndpoint[] {
  const schema = { anyOf: [jimengVideo.schema, actionQuestion] };
  return actionNames.map(({ path, ...words }) =>
    rowsOf(jimengVideo, access)("POST", path, words, (visit) => actions(parts, jimengVideo, visit), {
      body: { schema },
      query: actionQuery,
    }),
  );
}

const reference = "An image to use as the first frame.";

function openaiRows(parts: VideoPartsOf, access: KeyRule): readonly HandlerEndpoint[] {
  const row = rowsOf(openaiVideo, access);
  const path = "/v1/videos";
  const item = `${path}/{video_id}`;
  const idOf = ({ params }: HandlerContext): string => params.video_id ?? "";
  const form = { only: false, files: { input_reference: reference } };
  return [
    row(
      "POST",
      path,
      { operationId: "createVideo", summary: "Creates a video, in OpenAI's format." },
      (visit) => submitTask(parts, openaiVideo, visit),
      { body: { schema: openaiVideo.schema, form } },
    ),
    row(
      "GET",
      path,
      { operationId: "listVideos", summary: "Lists the videos of this key." },
      (visit) => listVideos(parts, visit),
      {
        query: pageQuery,
      },
    ),
    row("GET", item, { operationId: "getVideo", summary: "Retrieves a video." }, (visit) =>
      askTask(parts, openaiVideo, visit, idOf(visit)),
    ),
    row(
      "DELETE",
      item,
      { operationId: "deleteVideo", summary: "Deletes a video and cancels it if it is in progress." },
      (visit) => deleteVideo(parts, visit, idOf(visit)),
    ),
    row(
      "GET",
      `${item}/content`,
      { operationId: "downloadVideo", summary: "Downloads the video, or a range of it." },
      (visit) => content(parts, visit, idOf(visit)),
      { query: contentQuery, replyTypes: ["video/mp4"], needsNoKey: showsLink },
    ),
    row(
      "POST",
      `${item}/remix`,
      { operationId: "remixVideo", summary: "Creates a video from a completed video and a new prompt." },
      (visit) => remixVideo(parts, openaiVideo, visit, idOf(visit)),
      { body: { schema: remixSchema } },
    ),
  ];
}

/** All rows. The dependencies are a function because the table is also used without them. */
export function videoRows(parts: VideoPartsOf, access: KeyRule): readonly HandlerEndpoint[] {
  return [
    ...pair(
      parts,
      access,
      videoGenerations,
      "/v1/video/generations",
      "VideoGeneration",
      "Video generation in the plain format",
    ),
    ...formatA(parts, access),
    ...formatB(parts, access),
    ...openaiRows(parts, access),
  ];
}
