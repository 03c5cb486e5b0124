// Jimeng: Volcengine's visual service, for a key that signs, or behind a gateway that wants one shown.
import { jimengVideos } from "../dialects/video/index.ts";
import {
  type AccountEntry,
  bearer,
  keyPairFault,
  keyPairOf,
  type Signer,
  type SignerDependencies,
} from "./credentials.ts";
import type { HttpKind } from "./provider.ts";
import { volcengineSignature } from "./volcengine/signature.ts";

/** https://www.volcengine.com/docs/85621/1544774 */
const scope = { region: "cn-north-1", service: "cv" } as const;

function open({ account = {}, credential }: AccountEntry, { clock }: SignerDependencies): Signer {
  const key = credential === null ? keyPairOf(account) : null;
  return key === null ? {} : { sign: async (request) => volcengineSignature(request, key, scope, clock.nowMs()) };
}

export const jimeng: HttpKind = {
  name: "jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  environment: { baseUrl: "JIMENG_BASE_URL" },
  dialects: [],
  videos: [jimengVideos],
  origin: "jimeng",
  authHeaders: bearer,
  account: {
    members: {
      accessKeyId: ["VOLC_ACCESSKEY", "VOLCENGINE_ACCESS_KEY"],
      secretAccessKey: ["VOLC_SECRETKEY", "VOLCENGINE_SECRET_KEY"],
      sessionToken: ["VOLC_SESSIONTOKEN", "VOLCENGINE_SESSION_TOKEN"],
    },
    fault: keyPairFault,
    open,
  },
};
