// What every table of video models keeps to: sources, models without a row, and rows that an operator declares.
import { describe, expect, test } from "bun:test";
import type { VideoRequest } from "../../../src/canonical/video.ts";
import type { DeclaredModel, ModelRow, ModelTable } from "../../../src/dialects/shared/model-table.ts";
import {
  geminiVeo,
  jimengVideos,
  minimaxNewerVideos,
  minimaxVideos,
  vertexVeo,
  viduVideos,
  wanVideos,
} from "../../../src/dialects/video/index.ts";
import type { VideoUpstream } from "../../../src/dialects/video/upstream.ts";
import { jimengModels } from "../../../src/dialects/video/upstreams/jimeng.ts";
import { h3Models, hailuoModels } from "../../../src/dialects/video/upstreams/minimax.ts";
import { veoModels } from "../../../src/dialects/video/upstreams/veo.ts";
import { viduModels } from "../../../src/dialects/video/upstreams/vidu.ts";
import { wanModels } from "../../../src/dialects/video/upstreams/wan.ts";
import { thrown } from "../../support/sample-requests.ts";
import { plainVideo, renderContext } from "./setting.ts";
import { linked } from "./submits.ts";

interface Case {
  readonly upstream: VideoUpstream;
  readonly table: ModelTable<ModelRow>;
  /** A name that no row knows. */
  readonly unlisted: string;
  readonly fields: Partial<VideoRequest>;
  /** What the wish is in the body where no row is known. */
  readonly sent: object;
  readonly declared: DeclaredModel["capabilities"];
  /** What the wish is in the body by the declared capabilities. */
  readonly fitted: object;
}

const fields = { seconds: 41, ratio: "5:4", resolution: "2160p" };
const declared = { durations: { min: 1, max: 20 }, ratios: ["1:1", "2:1"], resolutions: ["900p"] };

const veo = {
  table: veoModels,
  unlisted: "veo-9-generate",
  fields,
  sent: { parameters: { durationSeconds: 41, aspectRatio: "5:4", resolution: "2160p" } },
  declared,
  fitted: { parameters: { durationSeconds: 20, aspectRatio: "1:1", resolution: "900p" } },
};

const cases: readonly Case[] = [
  {
    upstream: wanVideos,
    table: wanModels,
    unlisted: "wan9.1-t2v",
    fields: { ...fields, audio: false },
    sent: { parameters: { duration: 41, ratio: "5:4", resolution: "2160P", audio: false } },
    declared: { ...declared, resolutions: ["900P"], audio: "always" },
    fitted: { parameters: { duration: 20, ratio: "1:1", resolution: "900P" } },
  },
  { upstream: geminiVeo, ...veo },
  {
    upstream: vertexVeo,
    ...veo,
    fields: { ...fields, audio: false },
    sent: { parameters: { ...veo.sent.parameters, generateAudio: false } },
  },
  {
    upstream: viduVideos,
    table: viduModels,
    unlisted: "viduq9",
    fields: { ...fields, audio: false },
    sent: { duration: 41, aspect_ratio: "5:4", resolution: "2160p", audio: false },
    declared,
    fitted: { duration: 20, aspect_ratio: "1:1", resolution: "900p" },
  },
  {
    upstream: minimaxVideos,
    table: hailuoModels,
    unlisted: "MiniMax-Hailuo-9",
    // Its wire has no field for a ratio.
    fields: { seconds: 41, resolution: "2160p" },
    sent: { duration: 41, resolution: "2160P" },
    declared: { ...declared, resolutions: ["900P"] },
    fitted: { duration: 20, resolution: "900P" },
  },
  {
    upstream: minimaxNewerVideos,
    table: h3Models,
    unlisted: "MiniMax-H9",
    fields,
    sent: { duration: 41, ratio: "5:4", resolution: "2160P" },
    declared: { ...declared, resolutions: ["900P"] },
    fitted: { duration: 20, ratio: "1:1", resolution: "900P" },
  },
  {
    upstream: jimengVideos,
    table: jimengModels,
    unlisted: "jimeng_v90",
    // Its wire has no field for a resolution.
    fields: { seconds: 41, ratio: "5:4" },
    sent: { req_key: "jimeng_t2v_v90", frames: 41 * 24 + 1, aspect_ratio: "5:4" },
    declared,
    fitted: { req_key: "jimeng_t2v_v90", frames: 20 * 24 + 1, aspect_ratio: "1:1" },
  },
];

describe.each(cases.map((entry) => [entry.upstream.name, entry] as const))("%s", (_name, entry) => {
  const { upstream, table, unlisted: model, fields } = entry;
  const render = (ask: Partial<VideoRequest>, declared?: readonly DeclaredModel[]) =>
    upstream.render({ ...plainVideo, ...ask }, { ...renderContext, model, ...(declared && { declared }) });
  const codes = (rendered: ReturnType<typeof render>) => rendered.warnings.map(({ code, path }) => `${code} ${path}`);

  test("every row has a source and a day", () => {
    for (const { source, checkedOn } of [...table.rows, table.unlisted])
      expect([source, checkedOn]).toEqual([expect.stringMatching(/^(?:https:|@?[a-z])/), "2026-11-22"]);
  });

  test("a model without a row is sent what was requested, with one warning", () => {
    const rendered = render(fields);
    expect(rendered.call.body).toMatchObject(entry.sent);
    expect(codes(rendered)).toEqual(["unverified model"]);
  });

  test("nothing is added for it", () => {
    const { call, effect } = render({});
    expect(JSON.stringify(call.body)).not.toMatch(/duration|resolution|ratio|aspect|size|frames|audio/i);
    expect(effect).toEqual({});
  });

  test("a declared row says which images it takes", () => {
    const images = [linked("first")];
    const only = [{ models: /(?:)/, capabilities: { images: [] } }];
    expect(thrown(() => render({ images }, only))).toMatchObject({ kind: "unsupported_parameter", param: "first" });
  });

  test("a declared row fits what was requested", () => {
    const rendered = render(fields, [{ models: new RegExp(`^${model}$`), capabilities: entry.declared }]);
    expect(rendered.call.body).toMatchObject(entry.fitted);
    expect(codes(rendered)).not.toContain("unverified model");
    expect(codes(rendered)).toContain("approximated seconds");
  });
});
