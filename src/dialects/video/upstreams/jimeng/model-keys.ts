// The models of Jimeng are keys: one for each way to use images, and often one more for each resolution.
import type { VideoRequest } from "../../../../canonical/video.ts";
import { findRow, type ModelRow, type ModelTable } from "../../../shared/model-table.ts";
import { checkRoles, modelRow } from "../../capabilities.ts";
import { tierFor } from "../../nearest-supported.ts";
import type { VideoRenderContext } from "../../upstream.ts";

const tiers = ["720p", "1080p"] as const;

/** A family such as `jimeng_v30`, with or without a resolution, of which the images choose a member. */
const family = /^(jimeng)_(v\d+)(?:_(?:(720)|(1080))p?)?$/;
const wholeFamily = /^(jimeng)_(v\d+)_pro$/;

const third = {
  source: "https://www.volcengine.com/docs/85621/1544774",
  checkedOn: "2026-11-22",
  durations: [5, 10],
  ratios: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"],
  audio: "never",
} as const;
const low = { ...third, resolutions: ["720p"] } as const;
const high = { ...third, resolutions: ["1080p"] } as const;
const frame = { images: ["first"], needs: ["first"] } as const;
const frames = { images: ["first", "last"], needs: ["first", "last"] } as const;

/** The resolution belongs to the key; five seconds and the first ratio are made where the client said nothing. */
export const jimengModels: ModelTable<ModelRow> = {
  rows: [
    { models: ["jimeng_t2v_v30"], ...low, images: [] },
    { models: ["jimeng_t2v_v30_1080p"], ...high, images: [] },
    { models: ["jimeng_i2v_first_v30"], ...low, ...frame },
    { models: ["jimeng_i2v_first_v30_1080"], ...high, ...frame },
    { models: ["jimeng_i2v_first_tail_v30"], ...low, ...frames },
    { models: ["jimeng_i2v_first_tail_v30_1080"], ...high, ...frames },
    { models: ["jimeng_i2v_recamera_v30"], ...low, ...frame },
    { models: ["jimeng_ti2v_v30_pro"], ...high, images: ["first"] },
  ],
  unlisted: { models: /(?:)/, source: third.source, checkedOn: third.checkedOn },
};

export interface Key {
  readonly key: string;
  readonly row: ModelRow;
  readonly warnings: ReturnType<typeof modelRow>["warnings"];
}

/** The member of the family for this number of frames. */
function memberOf(model: string, request: VideoRequest): string {
  const whole = wholeFamily.exec(model);
  if (whole !== null) return `${whole[1]}_ti2v_${whole[2]}_pro`;
  const [, maker, version, isLow, isHigh] = family.exec(model) ?? [];
  if (maker === undefined) return model;
  const isLarge = isHigh !== undefined || (isLow === undefined && tierFor(request, tiers) === "1080p");
  const [way, tail] = (
    [
      ["t2v", "_1080p"],
      ["i2v_first", "_1080"],
    ] as const
  )[request.images.length] ?? ["i2v_first_tail", "_1080"];
  return `${maker}_${way}_${version}${isLarge ? tail : ""}`;
}

/** The key for what was requested. Throws `unsupported_parameter` for images that it does not take, or lacks. */
export function keyFor(request: VideoRequest, context: VideoRenderContext): Key {
  const key = memberOf(context.model, request);
  // An operator declares a family under its own name, and a member under its key.
  const ofFamily = findRow(context.declared ?? [], context.model);
  const declared = ofFamily === undefined ? context.declared : [{ ...ofFamily, models: /(?:)/ }];
  const { row, warnings } = modelRow(jimengModels, { ...context, model: key, ...(declared && { declared }) });
  checkRoles(request, row, context);
  return { key, row, warnings };
}
