// Errors and their causes as text for the log.

/** An error and its causes in one line without a stack: enough for a log, never shown to a caller. */
export function causeOf(thrown: unknown): string {
  const parts: string[] = [];
  for (let cause = thrown; cause !== undefined && cause !== null && parts.length < 4; ) {
    parts.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : null;
  }
  return parts.join(" <- ").slice(0, 1_000);
}
