// A thread that does jobs for the event loop: started at the first job, replaced when it dies, idle without cost.

export interface Thread<Job, Result> {
  /** Rejects where the thread dies before it has answered. `given` goes over without a copy and is empty here afterwards. */
  run(job: Job, given?: readonly ArrayBuffer[]): Promise<Answer<Result>>;
  /** Ends the thread; jobs that are not done fail. */
  close(): void;
}

export interface Answer<Result> {
  readonly result: Result;
  /** Long texts that came before the result: alone, a text goes to another thread without a copy. */
  readonly texts: readonly string[];
}

/** What goes over, and what comes back under the same number: any texts first. */
export type ThreadMessage<Content> =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly content: Content };

interface Waiting<Result> {
  readonly texts: string[];
  resolve(answer: Answer<Result>): void;
  reject(cause: unknown): void;
}

/** `address` is the code of the thread; see `workerAddress`. */
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
