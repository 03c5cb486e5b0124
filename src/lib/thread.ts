// A worker thread for jobs: started at the first job, replaced when it exits, idle without cost.

export interface Thread<Job, Result> {
  /**
   * Rejects if the thread exits before it has answered. `given` is transferred without a copy and is empty here
   * afterwards.
   */
  run(job: Job, given?: readonly ArrayBuffer[]): Promise<Answer<Result>>;
  /** Ends the thread; unfinished jobs fail. */
  close(): void;
}

interface Answer<Result> {
  readonly result: Result;
  /** Long texts that arrived before the result: as a message of its own, a text is transferred without a copy. */
  readonly texts: readonly string[];
}

/** A message to the thread, and the messages with the same number back: texts first. */
export type ThreadMessage<Content> =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly content: Content };

interface Waiting<Result> {
  readonly texts: string[];
  resolve(answer: Answer<Result>): void;
  reject(cause: unknown): void;
}

/** `address` returns the URL of the thread's code; see `workerAddress`. */
export function createThread<Job, Result>(address: () => string): Thread<Job, Result> {
  let worker: Worker | null = null;
  const waiting = new Map<number, Waiting<Result>>();
  let next = 0;

  const fail = (cause: unknown): void => {
    worker?.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
  };
  const take = (data: ThreadMessage<Result>): void => {
    const job = waiting.get(data.id);
    if ("text" in data) job?.texts.push(data.text);
    else {
      waiting.delete(data.id);
      job?.resolve({ result: data.content, texts: job.texts });
    }
  };
  const start = (): Worker => {
    const started = new Worker(address(), { ref: false });
    const failed = (cause: unknown): void => {
      if (worker === started) fail(cause);
    };
    started.onmessage = ({ data }: MessageEvent<ThreadMessage<Result>>) => take(data);
    started.onerror = (event) => failed(new Error(event.message));
    started.addEventListener("close", () => failed(new Error("the thread has ended")));
    return started;
  };
  return {
    run(content, given = []) {
      worker ??= start();
      const id = next++;
      const { promise, resolve, reject } = Promise.withResolvers<Answer<Result>>();
      waiting.set(id, { texts: [], resolve, reject });
      worker.postMessage({ id, content } satisfies ThreadMessage<Job>, [...given]);
      return promise;
    },
    close: () => fail(new Error("the thread was closed")),
  };
}
