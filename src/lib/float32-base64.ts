// Vectors as base64: consecutive little-endian float32 values, no header, standard alphabet with padding.

/** [0.1, -0.5, 1] becomes "zczMPQAAAL8AAIA/". */
export function floatsToBase64(values: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => {
    view.setFloat32(index * 4, value, true);
  });
  return Buffer.from(view.buffer).toString("base64");
}

/** The inverse, with the precision of float32. Incomplete trailing bytes are left out. */
export function base64ToFloats(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => view.getFloat32(index * 4, true));
}
