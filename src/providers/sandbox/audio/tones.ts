// The sandbox's voice: sixteen tones, one for each half of a byte, and how to know them again.

/** Samples a second of everything that the sandbox supports. */
export const sampleRate = 24_000;
/** Samples of one tone where nothing else decides, which is 24 ms. */
export const toneSamples = 576;
/** Between two tones lie so many steps of the grid on which a tone ends where it began. */
const gridSteps = 3;
const lowestStep = 15;
const loudness = 12_000;
export const tones = 16;
/** A symbol beside the tones. */
export const silence = tones;

/** In hertz: 625 for 0, 2,500 for 15. */
export const frequencyOf = (symbol: number): number => ((lowestStep + gridSteps * symbol) * sampleRate) / toneSamples;

/** Whole waves in so many samples, as near to the frequency as that goes. */
const wavesIn = (symbol: number, samples: number): number => Math.round((frequencyOf(symbol) * samples) / sampleRate);

/** One tone of `samples` samples with whole waves: the next may follow without a click. */
export function toneOf(symbol: number, samples = toneSamples): Int16Array {
  const made = new Int16Array(samples);
  if (symbol === silence) return made;
  const waves = wavesIn(symbol, samples);
  for (let at = 0; at < samples; at++) made[at] = Math.round(loudness * Math.sin((2 * Math.PI * waves * at) / samples));
  return made;
}

/** Goertzel's sum: how much of so many waves is in the samples. */
function powerOf(samples: Int16Array, waves: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * waves) / samples.length);
  let [last, beforeLast] = [0, 0];
  for (const sample of samples) [last, beforeLast] = [sample + factor * last - beforeLast, last];
  return last * last + beforeLast * beforeLast - factor * last * beforeLast;
}

/** Less of all sound than this in one tone, and it is not ours. */
const clear = 0.6;

/** The tone in one window of samples; null for anything else, as for silence. */
export function symbolIn(samples: Int16Array): number | null {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy === 0) return null;
  const powers = Array.from({ length: tones }, (_, symbol) => powerOf(samples, wavesIn(symbol, samples.length)));
  const most = Math.max(...powers);
  return (2 * most) / (samples.length * energy) < clear ? null : powers.indexOf(most);
}
