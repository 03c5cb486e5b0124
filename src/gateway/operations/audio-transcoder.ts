// The transcoder: one ffmpeg process for each speech reply whose format the provider does not support, within limits.

import { GatewayError } from "../../canonical/error.ts";
import type { AudioFormat } from "../../canonical/speech.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { transcodeArguments } from "./ffmpeg-arguments.ts";

/** By the names of their rows in src/config/limits.ts. */
interface TranscodeLimits {
  readonly maxTranscodes: number;
  readonly transcodeMs: number;
  readonly transcodeBytes: number;
}

export interface AudioTranscoder {
  /**
   * Reserves one process before the provider is called. Throws `overloaded` if none is free. The slot is free again
   * when its process has ended, or the signal aborts, which kills the process.
   */
  reserve(signal: Cancellation): TranscoderSlot;
}

export interface TranscoderSlot {
  /** Starts the process; once. */
  start(from: AudioFormat, to: AudioFormat): RunningTranscode;
}

export interface RunningTranscode {
  /** Resolves when the process can accept more. Rejects when it has ended. */
  write(sound: Uint8Array): Promise<void>;
  /** The end of the input. */
  end(): Promise<void>;
  /** The next bytes of its output; null at the end. Throws `transcoding_failed`. */
  read(): Promise<Uint8Array | null>;
  kill(): void;
}

export const transcodingFailed = (cause?: unknown): GatewayError =>
  new GatewayError("transcoding_failed", "The provider's audio could not be transcoded to 'response_format'.", {
    param: "response_format",
    cause,
  });

const full = (): GatewayError =>
  new GatewayError("overloaded", "The gateway is transcoding too many responses. Try again shortly.", {
    retryAfterMs: 1_000,
  });

/** `ffmpeg` is its path. */
export function createAudioTranscoder(ffmpeg: string, limits: TranscodeLimits): AudioTranscoder {
  let running = 0;
  return {
    reserve(signal) {
      if (running >= limits.maxTranscodes) throw full();
      running++;
      let kill: (() => void) | null = null;
      const free = (): void => {
        if (!signal.aborted) signal.removeEventListener("abort", stop);
        running--;
      };
      const stop = (): void => (kill === null ? free() : kill());
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
      return {
        start(from, to) {
          if (signal.aborted) throw signal.reason;
          const transcoding = run(ffmpeg, transcodeArguments(from, to), limits, free);
          kill = transcoding.kill;
          return transcoding;
        },
      };
    },
  };
}

/** No shell, and an empty environment, so that the process cannot read the gateway's variables. */
function run(ffmpeg: string, parameters: string[], limits: TranscodeLimits, ended: () => void): RunningTranscode {
  const child = Bun.spawn([ffmpeg, ...parameters], {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "ignore", env: {} },
    ...{ timeout: limits.transcodeMs, killSignal: "SIGKILL" },
  });
  void child.exited.then(ended);
  const output = child.stdout.getReader();
  const kill = (): void => child.kill("SIGKILL");
  const taken = { in: 0, out: 0 };
  const count = (way: "in" | "out", { length }: Uint8Array): void => {
    taken[way] += length;
    if (taken[way] <= limits.transcodeBytes) return;
    kill();
    throw transcodingFailed(`more than ${limits.transcodeBytes} bytes`);
  };
  return {
    async write(sound) {
      count("in", sound);
      // A failed write to a process that has ended is not always an error.
      if (child.exitCode !== null) throw transcodingFailed("ffmpeg ended before the audio did");
      child.stdin.write(sound);
      await child.stdin.flush();
    },
    async end() {
      await child.stdin.end();
    },
    async read() {
      const { done, value } = await output.read();
      if (!done) {
        count("out", value);
        return value;
      }
      const code = await child.exited;
      if (code !== 0 || taken.out === 0) throw transcodingFailed(`ffmpeg ended with ${child.signalCode ?? code}`);
      return null;
    },
    kill,
  };
}
