// The events of one run, stored for current and later subscribers.
import { type Frame, formatFrame } from "../../lib/sse.ts";

/** How long a subscriber may be idle, and its heartbeat. */
interface PollingPace {
  readonly heartbeatMs: number;
  heartbeat(): Uint8Array;
}

/** Events by number, from 0 on. Beyond the limit the oldest are dropped. */
export interface EventLog {
  append(frame: Frame): void;
  /** The end of the events. */
  end(): void;
  /** The number of the next event. */
  next(): number;
  /** The number of the oldest stored event. */
  first(): number;
  chars(): number;
  /** All events after number `after`, as they arrive. */
  follow(after: number, pace: PollingPace): ReadableStream<Uint8Array>;
}

interface State {
  texts: string[];
  /** The number of the first text. */
  first: number;
  chars: number;
  isOver: boolean;
  waiting: (() => void)[];
}

const encoder = new TextEncoder();
const nextOf = ({ first, texts }: State): number => first + texts.length;

function wake(state: State): void {
  const awake = state.waiting;
  state.waiting = [];
  for (const each of awake) each();
}

function forgetOldest(state: State, maxChars: number): void {
  let gone = 0;
  while (state.chars > maxChars && gone < state.texts.length - 1) state.chars -= state.texts[gone++]?.length ?? 0;
  state.texts = state.texts.slice(gone);
  state.first += gone;
}

/** True when an event has arrived; false after the timeout. */
function more(state: State, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const come = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      state.waiting = state.waiting.filter((each) => each !== come);
      resolve(false);
    }, timeoutMs);
    state.waiting.push(come);
  });
}

function pollTaskFor(state: State, after: number, { heartbeatMs, heartbeat }: PollingPace): ReadableStream<Uint8Array> {
  let at = after + 1;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    while (at >= nextOf(state) && !state.isOver) {
      if (await more(state, heartbeatMs)) continue;
      controller.enqueue(heartbeat());
      return;
    }
    if (at < state.first) controller.error(new Error("the reader is slower than the event buffer allows"));
    else if (at >= nextOf(state)) controller.close();
    else {
      const text = state.texts.slice(at - state.first).join("");
      at = nextOf(state);
      controller.enqueue(encoder.encode(text));
    }
  };
  return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
}

/** A log with at most about `maxChars` characters of text. */
export function createEventLog(maxChars: number): EventLog {
  const state: State = { texts: [], first: 0, chars: 0, isOver: false, waiting: [] };
  return {
    append(frame) {
      const text = formatFrame(frame);
      state.texts.push(text);
      state.chars += text.length;
      if (state.chars > maxChars) forgetOldest(state, maxChars);
      wake(state);
    },
    end() {
      state.isOver = true;
      wake(state);
    },
    next: () => nextOf(state),
    first: () => state.first,
    chars: () => state.chars,
    follow: (after, pace) => pollTaskFor(state, after, pace),
  };
}
