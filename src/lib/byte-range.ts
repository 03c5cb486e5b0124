// One range of bytes, as a Range header requests it.

/** Bytes from `start` to before `end`; `contentRange` if it is not everything. */
type ByteRange =
  | { readonly status: 200; readonly start: number; readonly end: number }
  | { readonly status: 206; readonly start: number; readonly end: number; readonly contentRange: string }
  | { readonly status: 416; readonly contentRange: string };

type RangeResult =
  | { readonly status: 200; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly status: 206; readonly bytes: Uint8Array<ArrayBuffer>; readonly contentRange: string }
  | { readonly status: 416; readonly contentRange: string };

/** Ranges that a server may ignore (several ranges, another unit) return everything. */
export function parseRange(length: number, range: string | null | undefined): ByteRange {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  const all = { status: 200, start: 0, end: length } as const;
  if (first === "" && last === "") return all;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== "" && last !== "" && Number(last) < start) return all;
  if (start >= length || end < start) return { status: 416, contentRange: `bytes */${length}` };
  return { status: 206, start, end: end + 1, contentRange: `bytes ${start}-${end}/${length}` };
}

/** The same range of bytes in memory. */
export function ranged(bytes: Uint8Array<ArrayBuffer>, range: string | null | undefined): RangeResult {
  const span = parseRange(bytes.length, range);
  if (span.status === 200) return { status: 200, bytes };
  if (span.status === 416) return span;
  return { status: 206, bytes: bytes.subarray(span.start, span.end), contentRange: span.contentRange };
}
