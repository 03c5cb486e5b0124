// Account settings other than a URL and a key: read from the file's fields, or from the variables of the provider's own
// SDK.
import { resolve } from "node:path";
import { Secret } from "../lib/secret.ts";
import type { Account, AccountFault, AccountRules } from "../providers/credentials.ts";
import { accountFields } from "./account-fields.ts";
import type { Environment } from "./environment.ts";
import type { FilesRead } from "./file.ts";
import type { ProviderConfig } from "./schema.ts";

type Member = keyof Account;

export const accountMembers = Object.keys(accountFields) as readonly Member[];
const secretMembers = ["serviceAccount", "accessKeyId", "secretAccessKey", "sessionToken"] as const;

/** Every member as text, before it is parsed. */
type AccountTexts = { readonly [member in Member]?: string };

/** Whether these settings contain a credential. */
export function hasSecret(texts: AccountTexts): boolean {
  return secretMembers.some((member) => texts[member] !== undefined);
}

export function textsOfFile(config: ProviderConfig): AccountTexts {
  return Object.fromEntries(
    accountMembers.flatMap((member) => {
      const text = config[accountFields[member]];
      return text === undefined ? [] : [[member, text]];
    }),
  );
}

export function textsOfVariables({ members }: AccountRules, environment: Environment): AccountTexts {
  return Object.fromEntries(
    accountMembers.flatMap((member) => {
      const texts = (members[member] ?? []).map((name) => environment[name]?.trim());
      const text = texts.find((value) => value);
      return text === undefined ? [] : [[member, text]];
    }),
  );
}

/** The text itself, or the contents of the file that it names; null if there is no such file. */
function contentOf(text: string, files: FilesRead): string | null {
  if (text.trimStart().startsWith("{")) return text;
  try {
    return files.read(resolve(text));
  } catch {
    // The reason is left to the operator; the error contains the name of the field.
    return null;
  }
}

function sealed(texts: AccountTexts, files: FilesRead): Account | AccountFault {
  const { serviceAccount, accessKeyId, secretAccessKey, sessionToken, ...plain } = texts;
  const content = serviceAccount === undefined ? undefined : contentOf(serviceAccount, files);
  if (content === null)
    return { member: "serviceAccount", problem: `the file '${serviceAccount?.slice(0, 200)}' cannot be read` };
  const secrets = { serviceAccount: content, accessKeyId, secretAccessKey, sessionToken };
  const secretEntries = Object.entries(secrets).flatMap(([member, text]) =>
    text === undefined ? [] : [[member, new Secret(text)]],
  );
  return { ...plain, ...Object.fromEntries(secretEntries) };
}

/** The account, or what is wrong with it. Kinds without account settings have an empty one. */
export function readAccount(
  rules: AccountRules | undefined,
  texts: AccountTexts,
  credential: Secret | null,
  files: FilesRead,
): Account | AccountFault {
  const account = sealed(texts, files);
  return isFault(account) ? account : (rules?.fault?.(account, credential) ?? account);
}

export function isFault(read: Account | AccountFault): read is AccountFault {
  return "problem" in read;
}
