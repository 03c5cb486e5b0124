// Where each field of a video request is in every format of clients and of vendors: read from the tables, proved by what is parsed and rendered.
import { describe, expect, test } from "bun:test";
import type { VideoField, VideoImage, VideoRequest } from "../../../src/canonical/video.ts";
import {
  falVideos,
  geminiVeo,
  jimengVideos,
  klingTasks,
  klingVideos,
  minimaxNewerVideos,
  minimaxVideos,
  openaiVideos,
  replicateVideos,
  runwayVideos,
  seedanceVideos,
  vertexVeo,
  videoClients,
  viduVideos,
  wanVideos,
} from "../../../src/dialects/video/index.ts";
import { at } from "../../../src/dialects/video/json-helpers.ts";
import { nested } from "../../../src/dialects/video/render-submit.ts";
import type { TableUpstream, VideoSetting } from "../../../src/dialects/video/vendor.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { checkConformance } from "../../support/conformance.ts";
import { pixel, plainVideo, renderContext } from "./setting.ts";

const dropped = "dropped with a warning";
const code = (path: string): string => `\`${path}\``;

/** A model that has most settings, then models that take images otherwise. */
const vendors: readonly (readonly [TableUpstream, ...string[]])[] = [
  [falVideos, "fal-ai/acme/model"],
  [jimengVideos, "jimeng_v30"],
  [klingVideos, "kling-v2-6"],
  [klingTasks, "kling-3.0-omni"],
  [minimaxVideos, "MiniMax-Hailuo-02", "S2V-01"],
  [minimaxNewerVideos, "MiniMax-H3"],
  [openaiVideos, "sora-2"],
  [replicateVideos, "google/veo-3.1"],
  [runwayVideos, "veo3.1", "seedance2"],
  [seedanceVideos, "seedance-2-0"],
  [geminiVeo, "veo-3.1"],
  [vertexVeo, "veo-3.1"],
  [viduVideos, "viduq3"],
  [wanVideos, "wan2.7-t2v", "wan2.6-t2v", "wan9", "wan2.7-i2v", "wan2.7-r2v"],
];

type Change = Partial<VideoRequest>;
const samples: { readonly [setting in VideoSetting]: readonly Change[] } = {
  model: [{}],
  prompt: [{}],
  negativePrompt: [{ negativePrompt: "rain" }],
  seconds: [{ seconds: 10 }],
  size: [{ width: 1080, height: 1920 }],
  ratio: [{ ratio: "9:16" }],
  resolution: [{ resolution: "1080p" }],
  fps: [{ fps: 30 }],
  seed: [{ seed: 7 }],
  n: [{ n: 2 }],
  audio: [{ audio: true }, { audio: false }],
  watermark: [{ watermark: true }],
};
const settings = Object.keys(samples) as VideoSetting[];

const render = (upstream: TableUpstream, change: Change, model: string) => {
  const { call, warnings } = upstream.render({ ...plainVideo, ...change }, { ...renderContext, model });
  const form = Object.fromEntries((call.form ?? []).map((part) => [part.name, "value" in part ? part.value : "file"]));
  return { body: { ...call.body, ...form }, warnings: warnings.map(({ code: what, path }) => `${what} ${path}`) };
};

/** Paths of texts and numbers in a body, with the indexes of lists left out. */
function leaves(value: unknown, path = ""): [path: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap((each) => leaves(each, `${path}[]`));
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) => leaves(each, path === "" ? name : `${path}.${name}`));
}

/** A size that has no field of its own is said as ratio and resolution. */
function sizeCell(upstream: TableUpstream, model: string): string {
  const plain = new Map(leaves(render(upstream, {}, model).body));
  const { body, warnings } = render(upstream, samples.size[0] ?? {}, model);
  const changed = leaves(body).filter(([path, value]) => plain.get(path) !== value);
  if (changed.length > 0) return changed.map(([path]) => code(path)).join(", ");
  expect(warnings.join()).toMatch(/(?:dropped|approximated) size/);
  return dropped;
}

/** What the table says of a setting, checked against what is rendered. */
function settingCell(
  upstream: TableUpstream,
  [model, ...others]: [string, ...string[]],
  setting: VideoSetting,
): string {
  const field = upstream.fieldsOf(model)[setting];
  const path = typeof field === "string" ? field : field !== null && "at" in field ? field.at : undefined;
  if (path !== undefined && setting !== "n") {
    const isWritten = [model, ...others].some((each) =>
      samples[setting].every((change) => at(render(upstream, change, each).body, path) !== undefined),
    );
    expect({ model, path, isWritten }).toEqual({ model, path, isWritten: true });
    return code(path);
  }
  if (setting === "n")
    return upstream.maxVideos === undefined ? "refused above 1" : `${code(path ?? "")}, at most ${upstream.maxVideos}`;
  if (setting === "size") return sizeCell(upstream, model);
  if (typeof field === "string" || (field !== null && "at" in field)) throw new Error(`${model} ${setting}`);
  if (field !== null && "custom" in field) return field.custom === "path" ? "path" : code(field.custom);
  if (field?.fixed === "row") return "by the model";
  const warnings = samples[setting].flatMap((change) => render(upstream, change, model).warnings);
  expect({ model, warnings }).toEqual({ model, warnings: expect.arrayContaining([`dropped ${setting}`]) });
  return field === null ? dropped : `always ${field.fixed}`;
}

const image = (role: VideoImage["role"], url: string, hasBytes: boolean): VideoImage => ({
  role,
  path: role,
  source: hasBytes ? { kind: "bytes", mediaType: "image/png", bytes: pixel } : { kind: "url", url },
});

/** Where an image is found in what is rendered for the first of the models that takes it. */
function imageCell(upstream: TableUpstream, models: readonly string[], role: VideoImage["role"]): string {
  const hasBytes = !upstream.imageForms.includes("url");
  const others = role === "last" ? [image("first", "https://example.com/0.png", hasBytes)] : [];
  for (const model of models) {
    try {
      const without = new Map(leaves(others.length > 0 ? render(upstream, { images: others }, model).body : {}));
      const { body } = render(
        upstream,
        { images: [...others, image(role, "https://example.com/1.png", hasBytes)] },
        model,
      );
      const value = hasBytes ? Buffer.from(pixel).toString("base64") : "https://example.com/1.png";
      const found = leaves(body).filter(([path, each]) => each === value && without.get(path) !== each);
      if (found.length > 0) return code(found.at(-1)?.[0] ?? "");
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: "unsupported_parameter" });
    }
  }
  return "refused";
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (rows: readonly (readonly string[])[]): string =>
  [line(rows[0] ?? []), line((rows[0] ?? []).map(() => "---")), ...rows.slice(1).map(line)].join("\n");

/** The least body of each client's format. */
const bodies: { readonly [client: string]: JsonObject } = {
  "gemini-videos": { instances: [{ prompt: "a cat" }], parameters: {} },
  jimeng: { req_key: "m", prompt: "a cat" },
};

const clientValues: { readonly [field in VideoField]: Json } = {
  model: "other",
  prompt: "a dog",
  negativePrompt: "rain",
  seconds: 5,
  size: "720x1280",
  ratio: "9:16",
  resolution: "720p",
  fps: 30,
  seed: 7,
  n: 2,
  audio: true,
  watermark: true,
  endUser: "user-1",
  metadata: { camera_fixed: true },
};

/** A body with a value at a path, in which a list has one item. */
function withValue(body: JsonObject, path: string, value: Json): JsonObject {
  const [first = "", ...rest] = path.split(".");
  const [, list] = /^(\w+)\[0\]$/.exec(first) ?? [];
  if (list !== undefined) return { ...body, [list]: [withValue({}, rest.join("."), value)] };
  const inner = body[first];
  const holder = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : {};
  return rest.length === 0
    ? { ...body, ...nested(first, value) }
    : { ...body, [first]: withValue(holder, rest.join("."), value) };
}

/** Where a client says a field, if what it says there is parsed; a size may be one text or two numbers. */
function clientCell(client: (typeof videoClients)[number], field: VideoField): string {
  const body = bodies[client.name] ?? { model: "m", prompt: "a cat" };
  const path = client.fieldPath(field);
  const plain = client.name === "kling-image2video" ? { ...body, image: "https://example.com/a.png" } : body;
  const parse = (wire: JsonObject) => client.parse(wire, { params: { model: "m" } } as never);
  const values = field === "size" ? [clientValues.size, 720] : [clientValues[field]];
  const key = field === "size" ? "width" : field;
  const isRead = values.some((value) => {
    const before = JSON.stringify(parse(plain)[key as keyof VideoRequest]);
    return JSON.stringify(parse(withValue(plain, path, value))[key as keyof VideoRequest]) !== before;
  });
  if (field === "model" && path === "model" && client.name === "gemini-videos") return "path";
  return isRead ? code(path) : "none";
}

describe("fields of videos", () => {
  test("of every client and vendor are in docs/conformance.md", () => {
    const fields = Object.keys(clientValues) as VideoField[];
    const clients = [
      ["Field", ...videoClients.map(({ name }) => code(name))],
      ...fields.map((field) => [code(field), ...videoClients.map((client) => clientCell(client, field))]),
    ];
    const roles = ["first", "last", "reference"] as const;
    const upstreams = [
      ["Vendor", ...settings.map(code), ...roles.map((role) => `${role} image`)],
      ...vendors.map(([upstream, model = "", ...others]) => [
        code(upstream.name),
        ...settings.map((setting) => settingCell(upstream, [model, ...others], setting)),
        ...roles.map((role) => imageCell(upstream, [model, ...others], role)),
      ]),
    ];
    const intro = "Vendors, each with the model that has most fields; rows of models list the fields of the others.";
    const text = ["## Fields of videos", "", table(clients), "", intro, "", table(upstreams)].join("\n");
    checkConformance("fields of videos", text);
  });
});
