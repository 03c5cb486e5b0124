// The dimensions of an image, read from its header: PNG, JPEG, GIF and WebP.

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

type Reader = (view: DataView) => Dimensions | null;

/** Headers end within this; in JPEG, metadata before the frame header may take more. */
const headBytes = 64 * 1024;

const atLeast = (view: DataView, bytes: number): boolean => view.byteLength >= bytes;

const png: Reader = (view) =>
  atLeast(view, 24) && view.getUint32(0) === 0x89504e47
    ? { width: view.getUint32(16), height: view.getUint32(20) }
    : null;

const gif: Reader = (view) =>
  atLeast(view, 10) && view.getUint32(0) === 0x47494638
    ? { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    : null;

/** Segments follow one another until the frame header, which contains the size. */
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

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;

/** https://developers.google.com/speed/webp/docs/riff_container: the first chunk is lossy, lossless or extended. */
const webp: Reader = (view) => {
  if (!atLeast(view, 30) || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return null;
  switch (view.getUint32(12)) {
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858:
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return null;
  }
};

const readers: readonly Reader[] = [png, jpeg, gif, webp];

/** Null for bytes of any other format. */
export function dimensionsOf(bytes: Uint8Array): Dimensions | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const read of readers) {
    const size = read(view);
    if (size !== null && size.width > 0 && size.height > 0) return size;
  }
  return null;
}

/** The same for Base64; at most the first 64 KiB are decoded. */
export function dimensionsOfBase64(base64: string): Dimensions | null {
  return dimensionsOf(Buffer.from(base64.slice(0, Math.ceil(headBytes / 3) * 4), "base64"));
}
