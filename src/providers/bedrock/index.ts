// Amazon Bedrock: models of many makers behind Converse, for an AWS key that signs or for an API key that is shown.
import { bedrockConverse } from "../../dialects/index.ts";
import type { Secret } from "../../lib/secret.ts";
import {
  type Account,
  type AccountAccess,
  type AccountEntry,
  type AccountFault,
  bearerOrKeyPair,
  keyPairFault,
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

function access({ baseUrl, account: { region = "" } = {} }: AccountEntry): AccountAccess {
  const list: AccountAccess["list"] = (get) => listModels((path) => get(`${hostOf(service, region)}/${path}`));
  // A private endpoint serves no lists, and where those of its region are is unknown.
  return { unwrap: unwrapEvents, ...(baseUrl === runtimeOf(region) ? { list } : {}) };
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
  signer: bearerOrKeyPair((key, { account: { region = "" } = {} }, { clock }) => ({
    sign: awsSigner(key, { region, service }, clock.nowMs),
  })),
  access,
  account: {
    members: {
      region: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      accessKeyId: ["AWS_ACCESS_KEY_ID"],
      secretAccessKey: ["AWS_SECRET_ACCESS_KEY"],
      sessionToken: ["AWS_SESSION_TOKEN"],
    },
    baseUrl: ({ region }) => (region === undefined ? undefined : runtimeOf(region)),
    fault,
  },
};
