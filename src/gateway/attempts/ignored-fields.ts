// What a server took without a word and did not do: a reply with fewer choices or images, or vectors of another length.
import type { Vector } from "../../canonical/embedding.ts";
import type { Answer, Ask } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { mergedAnswer, type ReadReply, understood } from "../streaming/buffered-response.ts";
import type { Lane } from "./upstream-plan.ts";

const bitsPerByte = 8;
const bytesPerFloat = 4;

/** True where a vector may have this length: as numbers or Base64 of floats, of whole bytes, or of bits packed into bytes. */
function hasLength(vector: Vector, dimensions: number): boolean {
  const packed = Math.ceil(dimensions / bitsPerByte);
  if (typeof vector !== "string") return [dimensions, packed].includes(vector.length);
  return [dimensions * bytesPerFloat, dimensions, packed].includes(Buffer.byteLength(vector, "base64"));
}

/** What to look for in the answer: the path of the field, and whether the answer does what it says; null where all is well. */
interface Wish {
  readonly path: string;
  isMet(answer: Answer): boolean;
}

function wishOf(ask: Ask, { request }: Inquiry["dialect"]): Wish | null {
  if (ask.operation === "embed" && ask.dimensions !== undefined) {
    const { dimensions } = ask;
    const isMet = (answer: Answer) =>
      answer.operation !== "embed" || answer.vectors.every((vector) => hasLength(vector, dimensions));
    return { path: request.fieldPath("dimensions"), isMet };
  }
  if (ask.operation === "chat" && ask.choices > 1) {
    const { choices } = ask;
    const isMet = (answer: Answer) => answer.operation !== "chat" || answer.choices.length >= choices;
    return { path: request.fieldPath("choices"), isMet };
  }
  if (ask.operation === "image" && ask.n !== undefined && ask.said.n !== undefined) {
    const { n } = ask;
    return { path: ask.said.n, isMet: (answer) => answer.operation !== "image" || answer.images.length >= n };
  }
  return null;
}

/** A warning for a field that the server ignored, where none of the request says so yet. */
export function ignoredFields(
  replies: readonly [ReadReply, ...ReadReply[]],
  lane: Lane,
  inquiry: Inquiry,
  origin: string,
): readonly Warning[] {
  const { ask, dialect } = inquiry;
  const wish = wishOf(ask, dialect);
  if (wish === null || lane.warnings.some(({ path }) => path === wish.path)) return [];
  const [only, ...others] = replies;
  const answer = others.length === 0 ? understood(only, lane, { origin, ask }) : mergedAnswer(replies, lane);
  return wish.isMet(answer) ? [] : [{ code: "approximated", path: wish.path }];
}
