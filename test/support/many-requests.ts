// Fills a ledger with settled requests of many keys, models and end users, quickly: for what must be fast with many rows.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";

export interface ManyRequests {
  readonly dataFolder: string;
  readonly rows: number;
  /** Unix milliseconds of the first one, and between two of them. */
  readonly startMs: number;
  readonly everyMs: number;
}

const firstSequence = 4_294_967_296;
const rowsPerCommit = 500_000;

/** Ids begin with their times, as those of a gateway do. */
const idSql = "printf('%08x-%04x-7000-8000-%012x', at / 65536, at % 65536, n)";

/** Numbers that look random, from the number of the row. */
const [one, other] = ["n * 2654435761 % 4294967296 / 4096", "n * 2246822519 % 4294967296 / 4096"];

const insertSql = `with recursive numbers (n) as (select ?1 union all select n + 1 from numbers where n < ?2),
    parts as (select n, ?3 + n * ?4 as at, ${one} % 40 as key, ${other} % 12 as model, ${one} as a, ${other} as b,
      ${one} / 40 % 50 = 0 as failed from numbers)
  insert into requests (n, id, request_id, at_ms, organization, project, key_id, end_user, session, operation, dialect, model,
    stream, input_bound, cost_version, price_version, state, provider, upstream_model, attempts, http_status, error_code,
    first_byte_ms, duration_ms, input_tokens, output_tokens, cost, price, settled_seq)
  select n, ${idSql}, iif(n % 20 = 0, 'client-' || n, null), at, 'default', 'project-' || (key % 5), 'key-' || key,
    iif(n % 3 = 0, 'user-' || (b / 12 % 3000), null), iif(n % 4 = 0, 'session-' || (n / 40), null),
    iif(a % 9 = 0, 'embed', 'chat'), 'openai-chat', 'model-' || model, n % 2, 2000, 'c1', 'p1',
    iif(failed, 'failed', 'completed'), 'provider-' || (model % 4), 'upstream-model', 1,
    iif(failed, iif(n % 100000 < 50, 418, 502), 200), iif(failed, 'upstream_failed', null),
    50 + b % 900, 200 + a % 5000 + iif(n % 250000 = 1, 600000, 0), a % 3000, b % 500, a % 100000, b % 120000, ${firstSequence} + n
  from parts`;

/**
 * Forty keys of five projects, twelve models of four providers, three thousand end users; a fiftieth failed. Status 418,
 * and a duration of ten minutes, come a few times in a million.
 */
export async function fillLedger({ dataFolder, rows, startMs, everyMs }: ManyRequests): Promise<void> {
  await openLedger({ dataFolder }).close();
  using database = new Database(join(dataFolder, "ledger.db"));
  database.run("pragma synchronous = off");
  for (let first = 1; first <= rows; first += rowsPerCommit) {
    database.query(insertSql).run(first, Math.min(rows, first + rowsPerCommit - 1), startMs, everyMs);
    database.run("pragma wal_checkpoint(truncate)");
  }
  // Nothing is open: the next start reads none of them.
  database.query("insert or replace into marks (name, n) values ('settled', ?)").run(rows);
}
