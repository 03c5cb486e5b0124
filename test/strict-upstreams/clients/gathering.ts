// How openai-python gathers the deltas of a stream: texts are joined, numbers added, lists merged by `index`.

type Members = Record<string, unknown>;
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function gatheredList(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const gathered = [...before];
  for (const entry of more) {
    if (!isMembers(entry)) {
      gathered.push(entry);
      continue;
    }
    const { index } = entry;
    if (typeof index !== "number") throw new Error(`an entry of a list has no index: ${JSON.stringify(entry)}`);
    const known = gathered[index];
    gathered[index] = isMembers(known) ? withDelta(known, entry) : entry;
  }
  return gathered;
}

/** `accumulate_delta` of openai-python, `lib/streaming/_deltas.py`. */
function withDelta(before: Members, delta: Members): Members {
  const gathered: Members = { ...before };
  for (const [name, value] of Object.entries(delta)) {
    const known = gathered[name];
    if (known === undefined || known === null || name === "index" || name === "type") gathered[name] = value;
    else if (typeof known === "string" && typeof value === "string") gathered[name] = known + value;
    else if (typeof known === "number" && typeof value === "number") gathered[name] = known + value;
    else if (isMembers(known) && isMembers(value)) gathered[name] = withDelta(known, value);
    else if (Array.isArray(known) && Array.isArray(value)) gathered[name] = gatheredList(known, value);
  }
  return gathered;
}

/** The message that these deltas make. */
export const gatheredMessage = (deltas: readonly Members[]): Members => deltas.reduce<Members>(withDelta, {});
