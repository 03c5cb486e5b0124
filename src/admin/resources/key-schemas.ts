// Schemas of keys, for requests and for replies.
import { Type } from "typebox";
import { namePattern } from "../../gateway/policy/key-changes.ts";
import { rulesSchema } from "../../gateway/policy/rules.ts";
import type { KeyState } from "../../store/key-pages.ts";
import { closed, givenTime, integer, nullable, shortText, text, time, version } from "../fields.ts";

const states = ["active", "disabled", "expired", "revoked"] as const satisfies readonly KeyState[];
const name = Type.String({ minLength: 1, maxLength: 64, description: "1 to 64 letters, digits or . _ @ : -" });
const givenName = Type.String({ ...name, pattern: namePattern });
const projectId = shortText("ID of a project. Default `default`.");
const expiresAt = nullable(givenTime("When the key expires; null: never."));
const metadata = nullable(
  Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 512 }), {
    maxProperties: 32,
    description: "Notes of your own.",
  }),
);
export const givenSecret = Type.String({
  minLength: 8,
  maxLength: 512,
  description: "A secret that clients already use, or `sha256:` and its hash in hex. If omitted, one is made.",
});
const rules = Type.Object(rulesSchema.properties, { ...closed, description: "What the key may do, and how much." });

export const newKey = Type.Object(
  {
    name: givenName,
    project_id: Type.Optional(projectId),
    secret: Type.Optional(givenSecret),
    expires_at: Type.Optional(expiresAt),
    rules: Type.Optional(rules),
    metadata: Type.Optional(metadata),
  },
  closed,
);

export const changedKey = Type.Object(
  {
    name: Type.Optional(givenName),
    project_id: Type.Optional(projectId),
    expires_at: Type.Optional(expiresAt),
    disabled: Type.Optional(Type.Boolean({ description: "A disabled key is refused until it is enabled again." })),
    rules: Type.Optional(rules),
    metadata: Type.Optional(metadata),
  },
  closed,
);

export const object = Type.Object({
  object: Type.Literal("key"),
  id: text("The key's ID. It stays when the key is rotated."),
  source: Type.Enum(["api", "file"], { description: "Where it is defined. Keys of the file are read-only here." }),
  file_line: nullable(integer("Its line in the configuration file.")),
  name,
  project_id: text("Its project."),
  state: Type.Enum([...states], { description: "Whether it is accepted." }),
  preview: text("Start and end of the key."),
  rules,
  metadata,
  created_at: nullable(time("When it was created.")),
  expires_at: nullable(time("When it expires.")),
  disabled_at: nullable(time("Since when it is disabled.")),
  revoked_at: nullable(time("When it was revoked.")),
  work_ended_at: nullable(time("When its running work was ended.")),
  previous_until: nullable(time("Until when the secret before the last rotation is accepted.")),
  version: nullable(version),
});

export const filters = Type.Object(
  {
    project_id: Type.Optional(shortText("Only of this project.")),
    name: Type.Optional(shortText("Only with this name.")),
    state: Type.Optional(Type.Enum([...states], { type: "string", description: "Only in this state." })),
  },
  closed,
);
