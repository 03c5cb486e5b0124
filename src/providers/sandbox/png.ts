// A PNG with two colors: one bit per pixel, so that a large image is cheap.
import { crc32, deflateSync } from "node:zlib";

export interface Canvas {
  readonly width: number;
  readonly height: number;
  /** Rows one after the other, each in complete bytes; the highest bit is the leftmost pixel. */
  readonly bits: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];

const stride = (width: number): number => Math.ceil(width / 8);

export function newCanvas(width: number, height: number): Canvas {
  return { width, height, bits: new Uint8Array(stride(width) * height) };
}

/** Sets a square of pixels, clipped to the canvas. */
export function fillSquare({ width, height, bits }: Canvas, left: number, top: number, side: number): void {
  for (let y = Math.max(0, top); y < Math.min(height, top + side); y++)
    for (let x = Math.max(0, left); x < Math.min(width, left + side); x++) {
      const at = y * stride(width) + (x >> 3);
      bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
    }
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function header({ width, height }: Canvas): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  // One bit per pixel, which is an index into the palette.
  data.set([1, 3, 0, 0, 0], 8);
  return data;
}

/** Each row is preceded by the number of its filter: none. */
function filtered({ width, height, bits }: Canvas): Uint8Array {
  const bytes = stride(width);
  const rows = new Uint8Array((bytes + 1) * height);
  for (let row = 0; row < height; row++) rows.set(bits.subarray(row * bytes, (row + 1) * bytes), row * (bytes + 1) + 1);
  return rows;
}

/** The image as a file: set pixels in `ink` on `paper`. */
export function encodePng(canvas: Canvas, paper: Colour, ink: Colour): Uint8Array {
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header(canvas)),
    chunk("PLTE", Uint8Array.from([...paper, ...ink])),
    chunk("IDAT", deflateSync(filtered(canvas))),
    chunk("IEND", new Uint8Array()),
  ]);
}
