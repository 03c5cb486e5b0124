// The three checksums of FLAC and Ogg: bits from the highest down, starting at zero, nothing turned round.

/** A table of one step for each byte. */
function tableOf(width: 8 | 16 | 32, polynomial: number): Uint32Array {
  const top = 2 ** (width - 1);
  const mask = 2 ** width - 1;
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte * 2 ** (width - 8);
    for (let bit = 0; bit < 8; bit++)
      value = (((value & top) !== 0 ? (value << 1) ^ polynomial : value << 1) & mask) >>> 0;
    return value;
  });
}

function checksum(width: 8 | 16 | 32, polynomial: number): (bytes: Uint8Array) => number {
  const table = tableOf(width, polynomial);
  const mask = 2 ** width - 1;
  return (bytes) => {
    let value = 0;
    for (const byte of bytes)
      value = (((value << 8) ^ (table[((value >>> (width - 8)) ^ byte) & 255] ?? 0)) & mask) >>> 0;
    return value;
  };
}

/** https://www.rfc-editor.org/rfc/rfc9639#section-9.1.8 */
export const flacHeadSum = checksum(8, 0x07);
/** https://www.rfc-editor.org/rfc/rfc9639#section-9.3 */
export const flacBlockSum = checksum(16, 0x8005);
/** https://www.rfc-editor.org/rfc/rfc3533#section-6 */
export const oggPageSum = checksum(32, 0x04c11db7);
