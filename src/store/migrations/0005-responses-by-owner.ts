// An index for the oldest stored responses of a key, which are deleted when it has too many.
import type { Migration } from "./migration.ts";

export const responsesByOwner: Migration = {
  name: "0005-responses-by-owner",
  statements: [`create index "responses.owner_key_id" on responses (owner_key_id, created_at_ms)`],
};
