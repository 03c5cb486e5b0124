// A client that holds a conversation of several turns: what it is told, and how it replays what it received before.

export interface Reply {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** The header `x-turnpike-warnings`. */
  readonly warnings: string;
}

/** One conversation under way. */
export interface Dialogue {
  say(words: string): Promise<Reply>;
  /** Returns the results of the last calls, in their order. */
  answer(results: readonly string[]): Promise<Reply>;
}

export interface Opening<Heard> {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly stream: boolean;
  readonly thinking: boolean;
  /** The client knows that the model decides by itself how much it thinks, and says so. */
  readonly isAdaptive?: boolean;
  readonly habit: Habit<Heard>;
}

/** How a client replays what it received; `Received` is a reply in the client's own words. */
export interface Habit<Heard> {
  readonly name: string;
  /** Who does so. */
  readonly of: string;
  readonly replay: (received: Heard) => Heard;
  /** What it says beside the results of calls. */
  readonly remark?: string;
  /** The ids of calls are the ones that it received. Default true. */
  readonly keepsIds?: boolean;
  /** False where it drops the state of thinking. Default true. */
  readonly keepsState?: boolean;
  /** False where a stream's thinking is lost before anybody sees it. Default true. */
  readonly readsThinking?: boolean;
}

/** A client format with one habit. */
export interface Client {
  readonly name: string;
  readonly habit: string;
  readonly of: string;
  /** The upstreams that speak its own format. */
  readonly speaks: RegExp;
  readonly remark: string;
  readonly keepsIds: boolean;
  readonly keepsState: boolean;
  readonly readsThinking: boolean;
  open(opening: Omit<Opening<never>, "habit">): Dialogue;
}

/** One client for each habit. */
export function clientsOf<Heard>(
  name: string,
  speaks: RegExp,
  habits: readonly Habit<Heard>[],
  open: (opening: Opening<Heard>) => Dialogue,
): Client[] {
  return habits.map((habit) => ({
    name,
    habit: habit.name,
    of: habit.of,
    speaks,
    remark: habit.remark ?? "",
    keepsIds: habit.keepsIds ?? true,
    keepsState: habit.keepsState ?? true,
    readsThinking: habit.readsThinking ?? true,
    open: (opening) => open({ ...opening, habit }),
  }));
}

/** A fetch that remembers the warnings of the last answer. */
export function watchedFetch() {
  let warnings = "";
  const watched = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(input, init);
    warnings = answer.headers.get("x-turnpike-warnings") ?? "";
    return answer;
  };
  return { fetch: watched, warnings: () => warnings };
}
