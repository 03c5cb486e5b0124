// Amazon Bedrock: models of many makers behind Converse, for an AWS key that signs or for an API key that is shown.
import { bedrockConverse } from "../../dialects/index.ts";
import type { Secret } from "../../lib/secret.ts";
import {
  type Account,
  type AccountEntry,
  type AccountFault,
  bearer,
  keyPairFault,
  keyPairOf,
  type Signer,
  type SignerDependencies,
} from "../credentials.ts";
import type { HttpKind } from "../provider.ts";
import { listModels } from "./listing.ts";
import { awsSigner } from "./signature.ts";
import { unwrapEvents } from "./unwrap.ts";

const service = "bedrock";

/** The parts of AWS that are worlds of their own have domains of their own. */
function hostOf(host: string, region: string): string {
  return `https://${host}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

const runtimeOf = (region: string): string => hostOf("bedrock-runtime", region);

function fault(account: Account, credential: Secret | null): AccountFault | null {
  const { region } = account;
  if (region === undefined) return { member: "region", problem: "the region is missing" };
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d+$/.test(region))
    return { member: "region", problem: "the region must be a name such as us-east-1" };
  return keyPairFault(account, credential);
}

function open({ baseUrl, account = {}, credential }: AccountEntry, { clock, send }: SignerDependencies): Signer {
  const { region = "" } = account;
  const key = credential === null ? keyPairOf(account) : null;
  const sign: Signer["sign"] =
    key === null
      ? async () => (credential === null ? {} : bearer(credential))
      : awsSigner(key, { region, service }, clock.nowMs);
  const list: Signer["list"] = (signal) =>
    listModels(async (path) => {
      const request = { method: "GET", url: `${hostOf(service, region)}/${path}` } as const;
      return send({ ...request, headers: { "accept-encoding": "identity", ...(await sign(request)) }, signal });
    });
  // A private endpoint serves no lists, and nobody knows where its region's would be.
  return { sign, unwrap: unwrapEvents, ...(baseUrl === runtimeOf(region) ? { list } : {}) };
}

/** Makers mark their models before the name, behind the regions of a profile. */
const makers = /(?:^|[./])(anthropic|amazon|openai|meta|mistral|deepseek|qwen|cohere|ai21|moonshot\w*|minimax|zai)\./;

export const bedrock: HttpKind = {
  name: "bedrock",
  environment: { credential: "AWS_BEARER_TOKEN_BEDROCK", baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" },
  dialects: [bedrockConverse],
  origin: "bedrock",
  mediaSchemes: ["s3:"],
  originOf: (model) => {
    const maker = makers.exec(model.toLowerCase())?.[1];
    return maker === undefined ? "bedrock" : `bedrock-${maker}`;
  },
  authHeaders: bearer,
  account: {
    members: {
      region: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      accessKeyId: ["AWS_ACCESS_KEY_ID"],
      secretAccessKey: ["AWS_SECRET_ACCESS_KEY"],
      sessionToken: ["AWS_SESSION_TOKEN"],
    },
    baseUrl: ({ region }) => (region === undefined ? undefined : runtimeOf(region)),
    fault,
    open,
  },
};
