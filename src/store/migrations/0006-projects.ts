// Projects, and more columns of a key: its project, a previous secret, a pause, metadata.
import type { Migration } from "./migration.ts";

export const projects: Migration = {
  name: "0006-projects",
  statements: [
    `create table projects (
       id text primary key,
       organization_id text not null,
       name text not null,
       rules text,
       created_at_ms bigint not null,
       removed_at_ms bigint,
       version bigint not null
     )`,
    `create unique index "projects.name" on projects (name, organization_id) where removed_at_ms is null`,
    `create unique index "projects.version" on projects (version)`,
    "insert into projects (id, organization_id, name, created_at_ms, version) values ('default', 'default', 'default', 0, 1)",
    "alter table keys add column project_id text not null default 'default'",
    "alter table keys add column pepper_id text",
    "alter table keys add column disabled_at_ms bigint",
    "alter table keys add column previous_hash text",
    "alter table keys add column previous_until_ms bigint",
    "alter table keys add column metadata text",
    "alter table keys rename column restrictions to rules",
    `create unique index "keys.previous_hash" on keys (previous_hash) where previous_hash is not null`,
  ],
};
