// A task as its owner sees it, with links to its bytes that need no key: signed for one result, for a limited time.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import type { VideoView } from "../../dialects/video/client.ts";
import { sameHash } from "../../lib/secret.ts";
import type { TaskDependencies } from "./dependencies.ts";
import type { Task } from "./task.ts";

type LinkSigner = Pick<TaskDependencies, "linkKey" | "linkLifeMs">;

const hourSeconds = 3_600;

function signature({ linkKey }: LinkSigner, id: string, index: number, endsAt: number): string {
  return new Bun.CryptoHasher("sha256", linkKey).update(`${id}\n${index}\n${endsAt}`).digest("base64url");
}

/**
 * When a link expires, in Unix seconds: on a full hour, so that it stays the same for a while, and never after the
 * result.
 */
function endOf({ linkLifeMs }: LinkSigner, { view }: Task, index: number, nowMs: number): number {
  const end = Math.ceil((nowMs + linkLifeMs) / 1000 / hourSeconds) * hourSeconds;
  const resultEndsAtMs = view.results[index]?.expiresAtMs;
  return resultEndsAtMs === undefined ? end : Math.min(end, Math.ceil(resultEndsAtMs / 1000));
}

/** The link to one result; `base` is the gateway's URL, without a trailing slash. */
export function linkTo(signer: LinkSigner, base: string, task: Task, index: number, nowMs: number): string {
  const endsAt = endOf(signer, task, index, nowMs);
  const place = index === 0 ? "" : `index=${index}&`;
  return `${base}/v1/videos/${task.id}/content?${place}exp=${endsAt}&sig=${signature(signer, task.id, index, endsAt)}`;
}

/** The parameters of a signed link. */
export interface LinkClaim {
  readonly id: string;
  readonly index: number;
  readonly endsAt: string | null;
  readonly signature: string | null;
}

const refused = (code: string, message: string): GatewayError =>
  new GatewayError("operation_not_allowed", message, { code });

/** Throws status 403 for a link that was not signed here or has expired. */
export function checkLink(signer: LinkSigner, { id, index, endsAt, signature: given }: LinkClaim, nowMs: number): void {
  const end = /^\d{1,12}$/.test(endsAt ?? "") ? Number(endsAt) : Number.NaN;
  if (!sameHash(signature(signer, id, index, end), given ?? ""))
    throw refused("link_invalid", "The link is not valid. Retrieve the task again.");
  if (end * 1000 <= nowMs) throw refused("link_expired", "The link has expired. Retrieve the task again.");
}

const isAlive = ({ expiresAtMs }: VideoResult, nowMs: number): boolean =>
  expiresAtMs === undefined || expiresAtMs > nowMs;

/** The task for its owner. `contentUrl` returns where the gateway serves a result without a public URL. */
export function viewOf(task: Task, contentUrl: (index: number) => string, nowMs: number): Omit<VideoView, "base"> {
  const { id, state, createdAtMs, updatedAtMs, view } = task;
  const { percent, effect, results, model, ...rest } = view;
  const urls = results.flatMap((result, index) => {
    if (!isAlive(result, nowMs)) return [];
    return [result.place.kind === "url" ? result.place.url : contentUrl(index)];
  });
  const ends = results.flatMap(({ expiresAtMs }) => expiresAtMs ?? []);
  const expires = ends.length === 0 ? {} : { expiresAtMs: Math.min(...ends) };
  return { id, state, percent, model, effect, results, urls, createdAtMs, updatedAtMs, ...rest, ...expires };
}

/** `origin` is where the client reached the gateway; a configured public URL takes precedence. */
export function viewFor(dependencies: TaskDependencies, task: Task, origin: string): VideoView {
  const nowMs = dependencies.gateway.clock.nowMs();
  const base = dependencies.publicUrl ?? origin;
  return { ...viewOf(task, (index) => linkTo(dependencies, base, task, index, nowMs), nowMs), base };
}
