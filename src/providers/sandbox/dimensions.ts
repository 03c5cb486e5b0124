// How large a picture is, by its first bytes.

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

type Reader = (view: DataView) => Dimensions | null;

const atLeast = (view: DataView, bytes: number): boolean => view.byteLength >= bytes;

const png: Reader = (view) =>
  atLeast(view, 24) && view.getUint32(0) === 0x89504e47
    ? { width: view.getUint32(16), height: view.getUint32(20) }
    : null;

const gif: Reader = (view) =>
  atLeast(view, 10) && view.getUint32(0) === 0x47494638
    ? { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    : null;

/** Segments follow one another until the one that tells how the picture is coded. */
const jpeg: Reader = (view) => {
  if (!atLeast(view, 4) || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 < view.byteLength; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
};

const readers: readonly Reader[] = [png, jpeg, gif];

/** Null for a picture that is none, or of a kind that is not known here. */
export function dimensionsOf(bytes: Uint8Array): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = readers.map((read) => read(view)).find((size) => size !== null);
  return found !== undefined && found !== null && found.width > 0 && found.height > 0 ? found : null;
}
