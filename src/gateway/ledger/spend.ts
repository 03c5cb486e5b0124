// The spend of each organization, project, key and end user, per quarter of an hour, updated by the database with each
// price that is written.
import type { Database } from "bun:sqlite";

/** Windows start at whole quarters of an hour in every time zone. */
export const spendBucketMs = 900_000;

const table = `create table spend (level text not null, id text not null, bucket integer not null, price integer not null,
  primary key (level, id, bucket)) without rowid`;

/** End users are scoped to their project. */
const levels: readonly (readonly [level: string, id: string, isThere: string])[] = [
  ["organization", "new.organization", "new.organization is not null"],
  ["key", "new.key_id", "true"],
  ["project", "new.project", "new.project is not null"],
  ["end_user", "new.project || '/' || new.end_user", "new.project is not null and new.end_user is not null"],
];

const insertOf = ([
  level,
  id,
  isThere,
]: (typeof levels)[number]): string => `insert into spend (level, id, bucket, price)
  select '${level}', ${id}, new.at_ms / ${spendBucketMs}, coalesce(new.price, 0) - coalesce(old.price, 0) where ${isThere}
  on conflict (level, id, bucket) do update set price = price + excluded.price;`;

const trigger = `create trigger spend_of_price after update of price on requests
  when coalesce(new.price, 0) <> coalesce(old.price, 0) begin ${levels.map(insertOf).join(" ")} end`;

const fill = levels.map(
  ([level, id, isThere]) => `insert into spend (level, id, bucket, price)
  select '${level}', ${id.replaceAll("new.", "")}, at_ms / ${spendBucketMs}, sum(price) from requests
  where price <> 0 and ${isThere.replaceAll("new.", "")} group by 2, 3`,
);

/** Creates the table, filled from existing rows, if the file does not have it, or not with every level. */
export function addSpend(database: Database): void {
  const found: unknown = database.query("select sql from sqlite_master where name = 'spend_of_price'").get();
  if (Object(found).sql?.toLowerCase() === trigger.toLowerCase()) return;
  database.run("drop trigger if exists spend_of_price");
  database.run("drop table if exists spend");
  database.run(table);
  for (const sql of fill) database.run(sql);
  database.run(trigger);
}

/** The sum of the prices of a level's requests since a time, which is the start of a window. */
export function spentSince(database: Database): (level: string, id: string, sinceMs: number) => bigint {
  const statement = database.prepare("select sum(price) as sum from spend where level = ? and id = ? and bucket >= ?");
  statement.safeIntegers(true);
  return (level, id, sinceMs) => BigInt(Object(statement.get(level, id, Math.floor(sinceMs / spendBucketMs))).sum ?? 0);
}

const costs = `select sum(cost) as sum from (
  select cost from requests where n >= ?1 and at_ms >= ?2 and provider = ?3 and (?4 is null or credential = ?4)
  union all select cost from attempts where id >= ?5 and provider = ?3 and (?4 is null or credential = ?4))`;

/** Ids of requests begin with the time (UUIDv7). */
function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Rows are in the order of their times, but for a clock that was set back, which is not looked behind. */
function firstRowSince(database: Database): (sinceMs: number) => number {
  const bounds = database.prepare("select min(n) as low, max(n) as high from requests");
  const next = database.prepare("select n, at_ms as ms from requests where n >= ? order by n limit 1");
  return (sinceMs) => {
    let { low, high } = Object(bounds.get());
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { ms } = Object(next.get(middle));
      if (Number(ms) < sinceMs) low = middle + 1;
      else high = middle;
    }
    return Number(low ?? 0);
  };
}

/** The sum of the costs of a provider, or of one of its credentials, since a time. */
export function spentAtProvider(
  database: Database,
): (provider: string, credential: string | null, sinceMs: number) => bigint {
  const firstRow = firstRowSince(database);
  const statement = database.prepare(costs);
  statement.safeIntegers(true);
  return (provider, credential, sinceMs) => {
    const row = statement.get(firstRow(sinceMs), sinceMs, provider, credential, firstIdOf(sinceMs));
    return BigInt(Object(row).sum ?? 0);
  };
}
