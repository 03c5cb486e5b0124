// Amazon Bedrock: models of many vendors through Converse, with an AWS key that signs or an API key as a bearer token.
import { bedrockConverse } from "../../dialects/index.ts";
import { isObject, type Json } from "../../lib/json.ts";
import type { Secret } from "../../lib/secret.ts";
import {
  type Account,
  type AccountAccess,
  type AccountEntry,
  type AccountFault,
  bearerOrKeyPair,
  bodyToSign,
  type GetList,
  type KeyPair,
  keyPairFault,
  type UnsignedRequest,
} from "../credentials.ts";
import type { ListedModel } from "../model-list.ts";
import type { HttpKind } from "../provider.ts";
import { unwrapEvents } from "./event-stream.ts";

const service = "bedrock";

/** Separate AWS partitions have their own domains. */
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
  const list: AccountAccess["list"] = (get) => listModels(get, hostOf(service, region));
  // A private endpoint has no model lists, and the endpoint of its region's lists is unknown.
  return { unwrap: unwrapEvents, ...(baseUrl === runtimeOf(region) ? { list } : {}) };
}

/** Vendors prefix their model names, after the regions of a profile. */
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

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html */
const modelsPath = "foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND";
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html */
const profilesPath = "inference-profiles?maxResults=1000";

const objectsOf = (body: unknown, member: string) => {
  const list = isObject(body) ? body[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

const named = (id: Json | undefined, name: Json | undefined, ownedBy: Json | undefined): ListedModel[] =>
  typeof id !== "string"
    ? []
    : [
        {
          id,
          ...(typeof name === "string" ? { displayName: name } : {}),
          ...(typeof ownedBy === "string" ? { ownedBy } : {}),
        },
      ];

/** Both lists combined; throws when either is unavailable. */
async function listModels(get: GetList, baseUrl: string): Promise<ListedModel[]> {
  const [models, profiles] = await Promise.all([modelsPath, profilesPath].map((path) => get(`${baseUrl}/${path}`)));
  return [
    ...objectsOf(models, "modelSummaries").flatMap((model) =>
      named(model.modelId, model.modelName, model.providerName),
    ),
    ...objectsOf(profiles, "inferenceProfileSummaries").flatMap((profile) =>
      named(profile.inferenceProfileId, profile.inferenceProfileName, "aws"),
    ),
  ];
}

/** The scope of a signature in addition to the request. */
interface AwsScope {
  readonly region: string;
  readonly service: string;
}

/** A derived key is valid for a day and a scope; older ones are dropped. */
const maxDerivedKeys = 8;
const proofs = ["authorization", "x-amz-date", "x-amz-security-token"] as const;

/** `20150830T123600Z`. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

/** A signer for one key and scope. Signs method, URL, body, the host and the headers that it adds. */
export function awsSigner(key: KeyPair, scope: AwsScope, nowMs: () => number) {
  const derivedKeys = new Map<string, ArrayBuffer>();
  return async (request: UnsignedRequest): Promise<Record<string, string>> => {
    const { method, url } = request;
    const body = bodyToSign(request);
    const { AwsV4Signer } = await import("aws4fetch");
    if (derivedKeys.size > maxDerivedKeys) derivedKeys.clear();
    const signer = new AwsV4Signer({
      method,
      url,
      ...scope,
      accessKeyId: key.accessKeyId.reveal(),
      secretAccessKey: key.secretAccessKey.reveal(),
      datetime: timestamp(nowMs()),
      cache: derivedKeys,
      ...(body === undefined ? {} : { body }),
      ...(key.sessionToken === undefined ? {} : { sessionToken: key.sessionToken.reveal() }),
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(proofs.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
  };
}
