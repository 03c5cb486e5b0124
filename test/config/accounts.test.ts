// Accounts in the configuration: fields of the file, variables of the providers' own SDKs, and what is said about a bad one.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keyFile } from "../providers/key-file.ts";
import { faultOf, load } from "./load.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-account-"));
const path = join(folder, "key.json");
writeFileSync(path, keyFile("https://oauth2.googleapis.com/token"));
afterAll(() => rmSync(folder, { recursive: true }));

const named = (name: string, environment: Record<string, string>) =>
  load("", environment).catalog.providers.find((provider) => provider.entry.name === name);

const provider = (fields: string) => `providers:\n  mine: { ${fields} }\n`;
const entry = (fields: string, environment: Record<string, string> = {}) =>
  load(provider(fields), environment).catalog.providers.find((provider) => provider.entry.name === "mine");

describe("variables", () => {
  test("azure: a key and an address", () => {
    const key = { AZURE_OPENAI_API_KEY: "k" };
    expect(named("azure", { ...key, AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com" })?.kind.name).toBe("azure");
    expect(() => named("azure", key)).toThrow("AZURE_OPENAI_ENDPOINT must be an http or https URL");
    expect(named("azure", { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com" })).toBeUndefined();
  });

  test("azure-speech: a key, and a region or an address", () => {
    const key = { AZURE_SPEECH_KEY: "k" };
    expect(named("azure-speech", { ...key, AZURE_SPEECH_REGION: "westeurope" })?.kind.name).toBe("azure-speech");
    expect(() => named("azure-speech", key)).toThrow(
      "AZURE_SPEECH_KEY is set, but not AZURE_SPEECH_REGION or AZURE_SPEECH_ENDPOINT.",
    );
  });

  test("vertex: a key file, whose project is enough", () => {
    expect(named("vertex", { GOOGLE_APPLICATION_CREDENTIALS: path })?.kind.name).toBe("vertex");
    expect(named("vertex", { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "us-east5" })).toBeUndefined();
  });

  test("bedrock: a key of the cloud and a region, or an API key of its own", () => {
    const key = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s" };
    expect(named("bedrock", { ...key, AWS_REGION: "eu-west-1" })?.kind.name).toBe("bedrock");
    expect(named("bedrock", { ...key, AWS_DEFAULT_REGION: "eu-west-1" })?.kind.name).toBe("bedrock");
    expect(named("bedrock", { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "us-east-1" })?.kind.name).toBe("bedrock");
    expect(() => named("bedrock", { AWS_BEARER_TOKEN_BEDROCK: "b" })).toThrow(
      "AWS_BEARER_TOKEN_BEDROCK is set, but the region is missing.",
    );
  });

  const others: Record<string, string>[] = [
    { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s" },
    { AWS_ACCESS_KEY_ID: "AKID", AWS_REGION: "us-east-1" },
    { GOOGLE_APPLICATION_CREDENTIALS: join(folder, "missing.json") },
  ];

  test.each(others)("that serve other programs too stop nobody when they are not enough: %j", (environment) => {
    const kinds = load("", environment).catalog.providers.map(({ kind }) => kind.name);
    expect(kinds).toEqual(["sandbox"]);
  });
});

describe("the file", () => {
  test("says everything itself: variables of SDKs do not leak into it", () => {
    const environment = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s" };
    expect(faultOf(provider("kind: bedrock"), environment)).toContain("providers.mine.region: the region is missing");
    const fields = "kind: bedrock, region: us-east-1, access_key_id: '${AWS_ACCESS_KEY_ID}', secret_access_key: s";
    expect(entry(fields, environment)?.kind.name).toBe("bedrock");
  });

  test("a key file by its path or as it is", () => {
    expect(entry(`kind: vertex, service_account: ${path}`)?.kind.name).toBe("vertex");
    expect(entry("kind: vertex, service_account: '${KEY}'", { KEY: keyFile("https://x/token") })?.kind.name).toBe(
      "vertex",
    );
    expect(entry("kind: vertex, project: p, credential: ya29.x")?.kind.name).toBe("vertex");
  });

  test.each([
    ["kind: openai, region: us-east-1", "providers.mine.region: unknown field for provider kind 'openai'"],
    [
      "kind: bedrock, region: here, credential: k",
      "providers.mine.region: the region must be a name such as us-east-1",
    ],
    ["kind: bedrock, region: us-east-1", "providers.mine.access_key_id: an access key, or an API key"],
    [
      "kind: bedrock, region: us-east-1, access_key_id: a",
      "providers.mine.secret_access_key: the secret of the access key",
    ],
    [
      "kind: bedrock, region: us-east-1, secret_access_key: a",
      "providers.mine.access_key_id: the ID of the access key",
    ],
    ["kind: vertex", "providers.mine.service_account: the key file of a service account is missing"],
    ["kind: vertex, service_account: /no/such/file", "service_account: the file '/no/such/file' cannot be read"],
    [`kind: vertex, service_account: '{"type":"external_account"}'`, "has the type 'external_account'"],
    ["kind: vertex, credential: k", "providers.mine.project: the project is missing"],
    ["kind: vertex, credential: k, project: p, location: ../x", "providers.mine.location: the location must be a name"],
    ["kind: azure, credential: k", "missing required field 'base_url'"],
    ["kind: azure-speech, credential: k", "missing required field 'base_url' or 'region'"],
  ])("%s", (fields, fault) => {
    expect(faultOf(provider(fields))).toContain(`turnpike.yaml line 2, providers.mine`);
    expect(faultOf(provider(fields))).toContain(fault);
  });
});
