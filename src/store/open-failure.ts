// Why a database cannot be opened: one sentence for the operator, with host and user, without the password.

interface EngineError {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly message?: unknown;
}

/**
 * Codes of PostgreSQL (its manual, appendix A) and of Bun's client (1.4). `ERR_POSTGRES_CONNECTION_REFUSED` is also
 * reported for an unknown host.
 */
const reasons: Readonly<Record<string, string>> = {
  "28P01": "the server refuses the user or the password",
  "28000": "the server refuses the user",
  "3D000": "the database does not exist",
  "42501": "the user is not allowed to create tables",
  "53300": "the server has no free connections",
  "57P03": "the server is starting up or shutting down",
  ERR_POSTGRES_CONNECTION_REFUSED: "the host does not exist, or the port is closed",
  ERR_POSTGRES_CONNECTION_TIMEOUT: "the server does not respond",
  ERR_POSTGRES_CONNECTION_FAILED: "the server closes the connection: it may not be PostgreSQL",
  ERR_POSTGRES_TLS_NOT_AVAILABLE: "the server does not support TLS; set sslmode if that is intended",
};

function reasonOf(thrown: unknown): string {
  const { code, errno, message } = Object(thrown) as EngineError;
  const known = reasons[String(errno)] ?? reasons[String(code)];
  if (known !== undefined) return known;
  const text = String(message ?? thrown).replaceAll(/postgres(ql)?:\/\/\S+/g, "postgres://…");
  return typeof code === "string" && !text.includes(code) ? `${text} (${code})` : text;
}

/** The embedded database, in its folder. */
export function folderFailure(dataFolder: string, cause: unknown): Error {
  const where = `The database turnpike.db in the data folder ${dataFolder}`;
  return new Error(`${where} cannot be opened: ${reasonOf(cause)}.`, { cause });
}

/** The data folder itself. */
export const makeFailure = (dataFolder: string, cause: unknown): Error =>
  new Error(`The data folder ${dataFolder} cannot be created: ${reasonOf(cause)}.`, { cause });

/** The shared database: of its URL only host, name and user are shown. */
export function serverFailure(databaseUrl: string, cause: unknown): Error {
  const url = URL.parse(databaseUrl);
  const user = url?.username ? ` as user '${decodeURIComponent(url.username)}'` : "";
  const where = `The database ${url?.pathname.slice(1) ?? ""} at ${url?.host ?? ""}`;
  return new Error(`${where} cannot be opened${user}: ${reasonOf(cause)}. Check DATABASE_URL.`, { cause });
}
