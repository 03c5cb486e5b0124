// 16 bit little-endian samples: converts sample rate and channels, chunk by chunk.

/** Converts chunks of samples. Incomplete samples are held back. */
export type TurnSamples = (chunk: Uint8Array) => Uint8Array;

const sampleBytes = 2;

/** Mixes frames of several channels, from chunks of any length, into one channel. */
function oneChannel(channels: number): (chunk: Uint8Array) => number[] {
  const frameBytes = channels * sampleBytes;
  let held: Uint8Array = new Uint8Array();
  return (chunk) => {
    const bytes = Buffer.concat([held, chunk]);
    const frames = Math.floor(bytes.length / frameBytes);
    held = bytes.subarray(frames * frameBytes);
    return Array.from({ length: frames }, (_, frame) => {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++)
        sum += bytes.readInt16LE(frame * frameBytes + channel * sampleBytes);
      return sum / channels;
    });
  };
}

function bytesOf(samples: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(samples.length * sampleBytes);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(Math.round(sample), index * sampleBytes);
  return bytes;
}

/**
 * One channel at the rate `to`, by linear interpolation, which is enough for speech. Unchanged at the same rate with
 * one channel.
 */
export function resampled(from: number, to: number, channels = 1): TurnSamples {
  if (from === to && channels === 1) return (chunk) => chunk;
  const frames = oneChannel(channels);
  const step = from / to;
  let last: number | null = null;
  /** The position of the next output sample, counted from `last` at 0. */
  let place = 0;
  return (chunk) => {
    const incoming = frames(chunk);
    if (last === null) last = incoming.shift() ?? null;
    if (last === null) return bytesOf([]);
    const line = [last, ...incoming];
    const made: number[] = [];
    for (; place <= line.length - 1; place += step) {
      const left = Math.floor(place);
      const [near = 0, far = near] = line.slice(left, left + 2);
      made.push(near + (far - near) * (place - left));
    }
    place -= line.length - 1;
    last = line.at(-1) ?? last;
    return bytesOf(made);
  };
}
