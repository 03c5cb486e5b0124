// The connection settings of Bun's client for both engines.
import { join } from "node:path";

/** Engine, connection options of Bun's client, and warnings for the operator. */
export interface Connection {
  readonly engine: "sqlite" | "postgres";
  readonly options: Bun.SQL.Options;
  readonly warnings: readonly string[];
}

const loopbackHosts = new Set(["", "localhost", "127.0.0.1", "[::1]", "::1"]);
const verifyingModes = new Set(["verify-full", "verify-ca"]);
/** The server's timeout is shorter than the client's, so that a slow statement does not keep running. */
const statementTimeoutMs = 4_000;
const lockTimeoutMs = 2_000;

/** The embedded database: one file in the data folder. */
export function sqliteConnection(dataFolder: string): Connection {
  const options: Bun.SQL.Options = { adapter: "sqlite", filename: join(dataFolder, "turnpike.db"), bigint: true };
  return { engine: "sqlite", options, warnings: [] };
}

/**
 * A shared database. Both pool timers stay 0, because they also end running queries. A remote host must prove its
 * certificate unless the URL sets `sslmode`.
 */
export function postgresConnection(databaseUrl: string, statementMs = statementTimeoutMs): Connection {
  const url = parsedUrl(databaseUrl);
  const remote = !loopbackHosts.has(url.hostname) && !url.searchParams.has("path") && !url.searchParams.has("socket");
  if (remote && !url.searchParams.has("sslmode")) url.searchParams.set("sslmode", "verify-full");
  const mode = url.searchParams.get("sslmode") ?? "";
  const options: Bun.SQL.Options = {
    adapter: "postgres",
    url: url.href,
    max: 8,
    bigint: true,
    idleTimeout: 0,
    maxLifetime: 0,
    connectionTimeout: 5,
    connection: {
      application_name: "turnpike",
      statement_timeout: String(statementMs),
      lock_timeout: String(Math.min(statementMs, lockTimeoutMs)),
    },
  };
  const open = remote && !verifyingModes.has(mode);
  return { engine: "postgres", options, warnings: open ? [unverified(url.hostname, mode)] : [] };
}

function parsedUrl(databaseUrl: string): URL {
  const url = URL.parse(databaseUrl);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error("DATABASE_URL is not a postgres:// address.");
  }
  return url;
}

function unverified(host: string, mode: string): string {
  return `The connection to the database at ${host} does not verify its certificate (sslmode=${mode}).`;
}
