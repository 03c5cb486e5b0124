// The lines that two texts share, and those that only one of them has.

export interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

const maxLines = 1_500;

/** JSON with a line for each member, so that a change of one is a change of one line. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // A stream or a text has lines of its own.
    return text;
  }
}

/** Lengths of the longest common subsequence of the ends of both, row by row. */
function lengths(before: readonly string[], after: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let one = before.length - 1; one >= 0; one--)
    for (let other = after.length - 1; other >= 0; other--) {
      const [row, next] = [rows[one] ?? new Uint16Array(), rows[one + 1] ?? new Uint16Array()];
      const isSame = before[one] === after[other];
      row[other] = isSame ? (next[other + 1] ?? 0) + 1 : Math.max(next[other] ?? 0, row[other + 1] ?? 0);
    }
  return rows;
}

/** Null where one of them has too many lines to be compared. */
export function lineDiff(before: string, after: string): readonly DiffLine[] | null {
  const [left, right] = [before.split("\n"), after.split("\n")];
  if (left.length > maxLines || right.length > maxLines) return null;
  const table = lengths(left, right);
  const at = (one: number, other: number): number => table[one]?.[other] ?? 0;
  const lines: DiffLine[] = [];
  let [one, other] = [0, 0];
  while (one < left.length || other < right.length) {
    const [text, added] = [left[one], right[other]];
    if (text !== undefined && text === added) {
      lines.push({ mark: " ", text });
      one++;
      other++;
    } else if (added === undefined || (text !== undefined && at(one + 1, other) >= at(one, other + 1))) {
      lines.push({ mark: "-", text: text ?? "" });
      one++;
    } else {
      lines.push({ mark: "+", text: added });
      other++;
    }
  }
  return lines;
}
