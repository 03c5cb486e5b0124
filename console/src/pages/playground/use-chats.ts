// The conversations of the playground, one for each model, and their streams.
import { useRef, useState } from "react";
import { type FormatName, send } from "./chat.ts";
import { type Chat, createDraft, type Message, type Part } from "./message.ts";

export interface Run {
  readonly requestId: string | null;
  readonly firstMs: number | null;
  readonly totalMs: number | null;
}

/** The conversation with one model. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** What has arrived of the answer; null where none is awaited. */
  readonly answer: readonly Part[] | null;
  readonly run: Run | null;
  readonly error: unknown;
}

const nothing: Conversation = { messages: [], answer: null, run: null, error: null };

type Settings = Omit<Chat, "messages" | "model"> & { readonly format: FormatName; readonly key: string };

export function useChats() {
  const [all, setAll] = useState<Readonly<Record<string, Conversation>>>({});
  const aborts = useRef(new Set<AbortController>());
  const of = (model: string): Conversation => all[model] ?? nothing;
  const change = (model: string, given: Partial<Conversation>) =>
    setAll((before) => ({ ...before, [model]: { ...(before[model] ?? nothing), ...given } }));

  const ask = async (
    model: string,
    { format, key, ...chat }: Settings,
    requested: readonly Message[],
  ): Promise<void> => {
    const controller = new AbortController();
    aborts.current.add(controller);
    const startedMs = performance.now();
    let run: Run = { requestId: null, firstMs: null, totalMs: null };
    const draft = createDraft(() => {
      run = { ...run, firstMs: run.firstMs ?? performance.now() - startedMs };
      change(model, { answer: draft.parts() });
    });
    change(model, { messages: requested, answer: [], run: null, error: null });
    let error: unknown = null;
    const begun = (requestId: string | null) => {
      run = { ...run, requestId };
    };
    try {
      await send(
        { ...chat, model, messages: requested },
        { format, key, sink: draft, signal: controller.signal, begun },
      );
    } catch (cause) {
      if (!controller.signal.aborted) error = cause;
    }
    aborts.current.delete(controller);
    const parts = draft.parts();
    const messages = parts.length === 0 ? requested : [...requested, { role: "assistant" as const, parts }];
    change(model, { messages, answer: null, error, run: { ...run, totalMs: performance.now() - startedMs } });
  };
  return {
    of,
    ask,
    open: (model: string, messages: readonly Message[]) => setAll({ [model]: { ...nothing, messages } }),
    clear: () => setAll({}),
    stop: () => {
      for (const controller of aborts.current) controller.abort();
    },
  };
}
