// A vendor of videos on a real socket: takes submits, plays the story that a prompt names for each task, and keeps videos.
import { sampleVideo } from "../../../src/providers/sandbox/sample-video.ts";
import { type Line, type Reply, type Seen, type Upstream, upstream } from "../../support/upstream.ts";

/** What a vendor says of a task, in its own words. */
export type Word = "queued" | "running" | "done" | "failed" | "expired" | "gone";
/** What happens to a poll in place of an answer. */
export type Trouble = "reset" | "fallen" | "page" | "strange" | "busy";
export type Step = Word | Trouble;

/** A wire as its vendor speaks it: what tells its requests apart, and what it answers. */
export interface Vendor {
  name: string;
  /** The entry of the provider, in YAML's flow style. */
  entry(url: string): string;
  /** The model for a submit with or without an image. */
  model(hasImage: boolean): string;
  isProven(seen: Seen): boolean;
  isSubmit(seen: Seen): boolean;
  /** Ids as this vendor makes them. */
  id(count: number): string;
  accepted(id: string): Reply;
  /** Id of the task that a poll, a cancellation or a download speaks of. */
  taskOf(seen: Seen): string | undefined;
  isCancel?(seen: Seen): boolean;
  /** The answer to a poll. `video` is an open address. */
  resultOf(word: Word, id: string, video: string, seen: Seen): Reply;
  /** Too many requests, in its own words. */
  busy: Reply;
  /** Bytes that only the account may fetch. */
  isDownload?(seen: Seen): boolean;
  /** Seconds of every video that it makes, as it tells them or as it was asked for. */
  seconds: number;
  /** Whether it has these words. */
  hasQueue: boolean;
  hasExpiry: boolean;
  /** What the gateway is to make of its failure. */
  failure: { code: string; message: RegExp };
}

/** What becomes of tasks; the last step repeats. */
export const stories = {
  success: ["queued", "running", "done"],
  failure: ["queued", "running", "failed"],
  down: ["reset", "running", "fallen", "page", "strange", "busy", "reset", "done"],
  lost: ["running", "gone"],
  late: ["running"],
  waiting: ["queued"],
  expired: ["running", "expired"],
  stale: ["done"],
} as const satisfies Record<string, readonly Step[]>;
export type StoryName = keyof typeof stories;

export interface Studio {
  vendor: Vendor;
  up: Upstream;
  /** Submits that it took, by the prompt; more than one for a prompt means that somebody would pay twice. */
  submits: Map<string, Seen[]>;
  cancelled: Set<string>;
  /** What it did not expect to be asked, and who asked without proof. */
  strays: string[];
  /** How often a task was asked for. */
  polls(id: string): number;
  idOf(prompt: string): string | undefined;
  /** Deletes the video of a task, and the task with it. */
  vanish(id: string): void;
}

interface Part {
  prompt: string;
  steps: readonly Step[];
  at: number;
  /** Path of its video, for those that show it to everybody. */
  video: string;
  isVanished: boolean;
}

/** As storage answers for what it has no more. */
const denied: Reply = { status: 403, text: "<Error><Code>AccessDenied</Code></Error>" };
const lost: Reply = { status: 404, json: { error: { message: "The video is gone." } } };

/** Bytes with the part that was asked for, as web servers do it. */
function makeVideo(seen: Seen): Reply {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(seen.headers.get("range") ?? "") ?? [];
  const headers = { "content-type": "video/mp4" };
  if (from === undefined) return { bytes: [sampleVideo.bytes], framing: "length", headers };
  const part = sampleVideo.bytes.slice(Number(from), Number(to) + 1);
  const range = { "content-range": `bytes ${from}-${to}/${sampleVideo.bytes.length}` };
  return { status: 206, bytes: [part], framing: "length", headers: { ...headers, ...range } };
}

const troubles: Record<Exclude<Trouble, "busy">, (line: Line) => void | Promise<void>> = {
  reset: (line) => line.reset(),
  fallen: (line) => line.play({ status: 500, text: "Internal Server Error" }),
  page: (line) => line.play({ text: "<html>we will be back soon</html>" }),
  strange: (line) => line.play({ json: { hello: ["world"] } }),
};

const promptIn = ({ text }: Seen): string => /a cat in story \w+ by \w+/.exec(text)?.[0] ?? "";
const storyIn = (prompt: string): StoryName => (/story (\w+)/.exec(prompt)?.[1] ?? "success") as StoryName;

/** Opens a vendor's studio. */
export async function studio(vendor: Vendor): Promise<Studio> {
  const up = await upstream();
  const parts = new Map<string, Part>();
  const vendorStudio: Studio = {
    ...{ vendor, up, submits: new Map(), cancelled: new Set(), strays: [] },
    polls: (id) => parts.get(id)?.at ?? 0,
    idOf: (prompt) => [...parts].find(([, part]) => part.prompt === prompt)?.[0],
    vanish(id) {
      const part = parts.get(id);
      if (part !== undefined) parts.set(id, { ...part, steps: stories.lost, at: 1, isVanished: true });
    },
  };
  const submit = (line: Line): Promise<void> => {
    const prompt = promptIn(line.request);
    const id = vendor.id(parts.size + 1);
    vendorStudio.submits.set(prompt, [...(vendorStudio.submits.get(prompt) ?? []), line.request]);
    const task = `/films/${parts.size + 1}.mp4`;
    parts.set(id, { prompt, steps: stories[storyIn(prompt)], at: 0, video: task, isVanished: false });
    return line.play(vendor.accepted(id));
  };
  const answer = (line: Line, id: string, part: Part): void | Promise<void> => {
    const step = part.steps[Math.min(part.at++, part.steps.length - 1)] ?? "gone";
    if (step === "busy") return line.play(vendor.busy);
    if (step in troubles) return troubles[step as keyof typeof troubles](line);
    return line.play(vendor.resultOf(step as Word, id, up.url + part.video, line.request));
  };
  up.on("*", (line) => {
    const { request } = line;
    const shown = [...parts.values()].find((part) => part.video === request.path);
    if (shown !== undefined) return line.play(shown.isVanished ? denied : makeVideo(request));
    if (!vendor.isProven(request)) vendorStudio.strays.push(`without proof: ${request.method} ${request.path}`);
    if (vendor.isSubmit(request)) return submit(line);
    const id = vendor.taskOf(request);
    const part = id === undefined ? undefined : parts.get(id);
    if (id !== undefined && part !== undefined) {
      if (vendor.isDownload?.(request)) return line.play(part.isVanished ? lost : makeVideo(request));
      if (!vendor.isCancel?.(request)) return answer(line, id, part);
      vendorStudio.cancelled.add(id);
      return line.play({ json: {} });
    }
    vendorStudio.strays.push(`${request.method} ${request.path}?${request.query}`);
    return line.play({ status: 404, json: { error: { message: "no such path" } } });
  });
  return vendorStudio;
}

/** The one thing of a request's path behind this. */
export function behind({ path }: Seen, prefix: string): string | undefined {
  return path.startsWith(prefix) ? path.slice(prefix.length).split("/")[0] : undefined;
}

/** Whether it is this method on this path. */
export function isCall({ method, path }: Seen, wanted: string, pattern: RegExp | string): boolean {
  return method === wanted && (typeof pattern === "string" ? path === pattern : pattern.test(path));
}

/** True where the key of the tests is shown in this header. */
export const shows =
  (header: string, scheme = "") =>
  ({ headers }: Seen): boolean =>
    headers.get(header) === `${scheme}canary-credential`;
