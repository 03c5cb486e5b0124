// All vendors of videos: one for each wire that the gateway speaks to.
import { fal } from "./fal.ts";
import { jimeng } from "./jimeng.ts";
import { kling, klingNewer } from "./kling.ts";
import { minimax, minimaxNewer } from "./minimax.ts";
import { openai } from "./openai.ts";
import { replicate } from "./replicate.ts";
import { runway } from "./runway.ts";
import { seedance } from "./seedance.ts";
import type { Vendor } from "./vendor.ts";
import { veo, veoVertex } from "./veo.ts";
import { vidu } from "./vidu.ts";
import { wan } from "./wan.ts";

export const vendors: readonly Vendor[] = [
  ...[openai, kling, klingNewer, jimeng, veo, veoVertex, wan, minimax, minimaxNewer],
  ...[vidu, runway, seedance, replicate, fal],
];
