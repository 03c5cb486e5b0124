// A scenario: one client submits to one vendor, whose story runs its course; what was not as it should be comes back as words.
import { sampleVideo } from "../../src/providers/sandbox/sample-video.ts";
import { until } from "../support/until.ts";
import type { Client, Facts, Result } from "./clients/client.ts";
import { faults, type Shape } from "./shape.ts";
import { type Stage, strangerKey } from "./stage.ts";
import type { StoryName, Studio } from "./upstreams/vendor.ts";

/** How a story ends: the task's state, the client's word, and what the ledger says. */
interface End {
  state: string | RegExp;
  result: Result;
  entry: "completed" | "failed" | "cancelled";
  failure?: Facts["failure"];
  /** Why there are no bytes. */
  content?: string;
}

const ends: Record<StoryName, End> = {
  success: { state: "completed", result: "completed", entry: "completed" },
  down: { state: "completed", result: "completed", entry: "completed" },
  stale: { state: "completed", result: "completed", entry: "completed" },
  failure: { state: "failed", result: "failed", entry: "failed", content: "video_failed" },
  lost: {
    ...{ state: "expired", result: "expired", entry: "failed", content: "video_expired" },
    failure: { code: "task_lost", message: /no longer has this task/ },
  },
  late: {
    ...{ state: "expired", result: "expired", entry: "failed", content: "video_expired" },
    failure: { code: "task_timeout", message: /timed out/ },
  },
  expired: {
    ...{ state: "expired", result: "expired", entry: "failed", content: "video_expired" },
    failure: { code: "expired", message: /abandoned the task/ },
  },
  waiting: {
    ...{ state: /^(?:cancelled|forgotten)$/, result: "unknown", entry: "cancelled" },
    failure: { code: "cancelled", message: /was cancelled/ },
  },
};

export interface Scenario {
  client: Client;
  studio: Studio;
  story: StoryName;
}

export interface Outcome {
  id: string;
  upstreamId: string;
  /** Polls when it was over; none may come later. */
  polls: number;
  faults: string[];
}

interface Play extends Scenario {
  stage: Stage;
  prompt: string;
  facts: Facts;
  /** Notes what is not as it should be. */
  note(what: string, found: string[]): void;
}

async function check(play: Play, result: Result, status = 200): Promise<void> {
  const { stage, client, facts, studio, prompt } = play;
  const answer = await stage.ask(client.question(facts.id));
  const words = `${client.name} ${result}`;
  play.note(words, faults(answer.status, status, "status"));
  play.note(words, faults(answer.body, client.resultOf(result, facts)));
  const inside = [studio.idOf(prompt) ?? "?", "canary"].filter((word) => answer.text.includes(word));
  play.note(
    words,
    inside.map((word) => `it says ${word}`),
  );
}

const isVideo = async (answer: Response): Promise<boolean> =>
  Buffer.from(await answer.bytes()).equals(sampleVideo.bytes);

/** The link opens for whoever has it, without a key, but for formats whose links need one. */
async function checkLink({ stage, client, facts, note }: Play): Promise<void> {
  const { body } = await stage.ask(client.question(facts.id));
  const headers: Record<string, string> = client.linkNeedsKey ? { "x-goog-api-key": stage.gateway.key } : {};
  const answer = await fetch(String(client.linkIn(body)), { headers });
  note("the link", (await isVideo(answer)) ? [] : [`not the film: ${answer.status}`]);
}

async function checkContent(play: Play): Promise<void> {
  const { stage, facts, note } = play;
  await checkLink(play);
  const url = `${stage.gateway.url}/v1/videos/${facts.id}/content`;
  const headers = { authorization: `Bearer ${stage.gateway.key}`, accept: "application/binary" };
  const whole = await fetch(url, { headers });
  note("content", faults(whole.headers.get("content-type"), "video/mp4", "type"));
  note("content", (await isVideo(whole)) ? [] : [`not the film: ${whole.status}`]);
  const part = await fetch(url, { headers: { ...headers, range: "bytes=4-11" } });
  note("a part", faults(part.headers.get("content-range"), `bytes 4-11/${sampleVideo.bytes.length}`, "range"));
  note("a part", faults(part.status, 206, "status"));
  note("a part", Buffer.from(await part.bytes()).equals(sampleVideo.bytes.slice(4, 12)) ? [] : ["not the part"]);
}

async function checkNoContent({ stage, facts, note }: Play, code: string): Promise<void> {
  const answer = await stage.ask({ method: "GET", path: `/v1/videos/${facts.id}/content` });
  note(
    `no content, ${code}`,
    faults(answer, { status: 404, body: { error: { code, type: "invalid_request_error" } } }),
  );
}

/** What happens before the end, beside the waiting. */
const courses: { [story in StoryName]?: (play: Play) => Promise<void> } = {
  async waiting(play) {
    const { stage, studio, prompt, facts, note } = play;
    stage.stored(facts.id);
    await until("polled", () => studio.polls(studio.idOf(prompt) ?? "") >= 3);
    await check(play, "queued");
    await checkNoContent(play, "video_not_ready");
    const { body } = await stage.ask({ method: "DELETE", path: `/v1/videos/${facts.id}` });
    note("deleted", faults(body, { id: facts.id, object: "video.deleted", deleted: true }));
  },
  async late(play) {
    const { stage, facts } = play;
    await until("in progress", () => stage.stored(facts.id).state === "in_progress");
    await check(play, "running");
    await checkNoContent(play, "video_not_ready");
    await until("late", () => {
      if (stage.stored(facts.id).isOver) return true;
      stage.age(facts.id, "candidate", "$.deadlineMs");
      return false;
    });
  },
  async lost({ stage, facts }) {
    await until("lost", () => {
      if (stage.stored(facts.id).isOver) return true;
      stage.age(facts.id, "candidate", "$.acceptedAtMs");
      return false;
    });
  },
};

/** What is looked at once it is over. */
const epilogues: { [story in StoryName]?: (play: Play) => Promise<void> } = {
  async success(play) {
    const { stage, studio, prompt, client, facts, note } = play;
    await checkContent(play);
    studio.vanish(studio.idOf(prompt) ?? "");
    await checkNoContent(play, "video_expired");
    await check(play, "completed");
    const foreign = await stage.ask(client.question(facts.id), strangerKey);
    note("a stranger", faults(foreign.status, client.unknownStatus, "status"));
    note("a stranger", faults(foreign.body, client.resultOf("unknown", facts)));
  },
  down: checkContent,
  async stale(play) {
    play.stage.age(play.facts.id, "body", "$.results[0].expiresAtMs");
    await check(play, "stale");
    await checkNoContent(play, "video_expired");
  },
};

function entryShape({ studio, client, facts }: Play, { entry }: End): Shape {
  const isMade = entry === "completed";
  return {
    state: entry,
    operation: "video",
    provider: studio.vendor.name,
    upstream_model: studio.vendor.model(client.hasImage),
    attempts: 1,
    http_status: 200,
    video_ms: isMade ? Math.round(facts.seconds * 1_000) : 0,
    error_code: isMade ? null : facts.failure.code,
  };
}

/** The ledger's one row, with the true state and units. */
async function checkLedger(play: Play, end: End): Promise<void> {
  const { stage, facts, note } = play;
  await until("settled", () => stage.stored(facts.id).isNoted);
  const { state, entries } = stage.stored(facts.id);
  note("the task", faults(state, end.state, "state"));
  note("the ledger", faults(entries, [entryShape(play, end)], "entries"));
}

function checkVendor({ studio, prompt, story, note }: Play): void {
  const { vendor, submits, cancelled } = studio;
  note("the vendor", faults(submits.get(prompt)?.length, 1, "submits"));
  const isCancelled = cancelled.has(studio.idOf(prompt) ?? "");
  const shouldBe = vendor.isCancel !== undefined && (story === "late" || story === "waiting");
  note("the vendor", faults(isCancelled, shouldBe, "cancelled"));
}

async function course(play: Play): Promise<void> {
  const { stage, story, facts } = play;
  const end = ends[story];
  await courses[story]?.(play);
  await until("over", () => stage.stored(facts.id).isOver);
  await check(play, end.result, end.result === "unknown" ? play.client.unknownStatus : 200);
  if (end.content !== undefined) await checkNoContent(play, end.content);
  await checkLedger(play, end);
  await epilogues[story]?.(play);
  checkVendor(play);
}

/** Plays a scenario from its submit to its end. Rejects only where the gateway does not get there at all. */
export async function play(stage: Stage, scenario: Scenario): Promise<Outcome> {
  const { client, studio, story } = scenario;
  const { vendor } = studio;
  const prompt = `a cat in story ${story} by ${client.name}`;
  const model = `${vendor.name}/${vendor.model(client.hasImage)}`;
  const submitted = await stage.ask(client.submit(model, prompt));
  if (submitted.status !== 200) throw new Error(`${submitted.status} ${submitted.text}`);
  const id = client.idOf(submitted.body);
  const found: string[] = [];
  const facts: Facts = { id, model, seconds: vendor.seconds, failure: ends[story].failure ?? vendor.failure };
  const note: Play["note"] = (what, list) => void found.push(...list.map((fault) => `${what}: ${fault}`));
  note("accepted", faults(submitted.body, client.accepted(facts)));
  note("accepted", faults(submitted.headers.get("x-turnpike-provider"), vendor.name, "provider"));
  await course({ ...scenario, stage, prompt, facts, note });
  return { id, upstreamId: stage.stored(id).upstreamId, polls: studio.polls(studio.idOf(prompt) ?? ""), faults: found };
}
