// Jimeng: Volcengine's visual service, for a key that signs, or behind a gateway that wants one shown.
import { jimengVideos } from "../dialects/video/index.ts";
import { bearerOrKeyPair, keyPairFault } from "./credentials.ts";
import type { HttpKind } from "./provider.ts";
import { volcengineSignature } from "./volcengine/signature.ts";

/** https://www.volcengine.com/docs/85621/1544774 */
const scope = { region: "cn-north-1", service: "cv" } as const;

export const jimeng: HttpKind = {
  name: "jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  environment: { baseUrl: "JIMENG_BASE_URL" },
  dialects: [],
  videos: [jimengVideos],
  origin: "jimeng",
  signer: bearerOrKeyPair((key, _entry, { clock }) => ({
    sign: async (request) => volcengineSignature(request, key, scope, clock.nowMs()),
  })),
  account: {
    members: {
      accessKeyId: ["VOLC_ACCESSKEY", "VOLCENGINE_ACCESS_KEY"],
      secretAccessKey: ["VOLC_SECRETKEY", "VOLCENGINE_SECRET_KEY"],
      sessionToken: ["VOLC_SESSIONTOKEN", "VOLCENGINE_SESSION_TOKEN"],
    },
    fault: keyPairFault,
  },
};
