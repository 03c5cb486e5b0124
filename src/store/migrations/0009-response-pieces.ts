// Long texts of stored responses are stored in pieces, so that none is written or read at once.
import type { Migration } from "./migration.ts";

export const responsePieces: Migration = {
  name: "0009-response-pieces",
  statements: [
    `create table response_pieces (
       id text primary key,
       response_id text not null,
       expires_at_ms bigint not null,
       text text not null
     )`,
    `create index "response_pieces.response_id" on response_pieces (response_id)`,
    `create index "response_pieces.expires_at_ms" on response_pieces (expires_at_ms)`,
  ],
};
