// A vendor in a process of its own right: it outlives gateways that are killed, and knows who would have paid twice.
import { type Line, upstream } from "../support/upstream.ts";

export interface SlowVendor {
  yaml: string;
  /** How often each model was submitted to. */
  submits: Map<string, number>;
  stop(): Promise<void>;
}

/** Takes tasks under any model `videos/…`; each runs for a moment and ends well, or not where its prompt says `fail`. */
export async function slowVendor(): Promise<SlowVendor> {
  const up = await upstream();
  const submits = new Map<string, number>();
  const made = new Map<string, { endsAt: number; end: "succeeded" | "failed" }>();
  const take = (line: Line, model: string): Promise<void> => {
    submits.set(model, (submits.get(model) ?? 0) + 1);
    const id = `p${made.size + 1}`;
    const endsAt = performance.now() + 200 + 2_000 * Math.random();
    made.set(id, { endsAt, end: line.request.text.includes("fail") ? "failed" : "succeeded" });
    return line.play({ status: 201, json: { id, status: "starting" } });
  };
  up.on("*", (line) => {
    const { path } = line.request;
    const model = /^\/v1\/models\/(films\/[\w-]+)\/predictions$/.exec(path)?.[1];
    if (model !== undefined) return take(line, model);
    const task = made.get(path.replace("/v1/predictions/", ""));
    if (task === undefined) return line.play({ status: 404, json: { detail: "Not found" } });
    const status = performance.now() < task.endsAt ? "processing" : task.end;
    return line.play({ json: { status, error: "It went wrong.", output: "https://films.example/1.mp4" } });
  });
  return {
    yaml: `providers:\n  slow: { kind: replicate, base_url: "${up.url}/v1", credential: canary-1, models: [] }\nvideos: { results: { keep: proxy } }\n`,
    submits,
    stop: () => up.stop(),
  };
}
