// The fields of an account in the configuration file.
import type { Account } from "../providers/credentials.ts";
import type { ProviderConfig } from "./schema.ts";

/** The field of each member, in the file. */
export const accountFields = {
  region: "region",
  project: "project",
  location: "location",
  apiVersion: "api_version",
  serviceAccount: "service_account",
  accessKeyId: "access_key_id",
  secretAccessKey: "secret_access_key",
  sessionToken: "session_token",
} as const satisfies { readonly [member in keyof Account]-?: keyof ProviderConfig };
