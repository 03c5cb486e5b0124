// One stream of one candidate, from the call to the first piece: the upstream's own, several in a row, sound, or a whole reply told as one.
import { GatewayError } from "../../canonical/error.ts";
import { totalOutput, type Usage } from "../../canonical/usage.ts";
import type { Call, SoundSide } from "../../dialects/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadline } from "../../lib/deadline.ts";
import { hopsHeader, withNextHop } from "../../lib/hops.ts";
import { originOf } from "../../providers/provider.ts";
import type { Transcoder } from "../operations/audio-transcoder.ts";
import { type Bringing, delivered, joinImages } from "../operations/image-transfer.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { textOfAnswer, type UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";
import { isEvents, soundTurner, wholeChunks } from "../streaming/audio-stream.ts";
import { type ReadReply, readReply, refusal, refuseDocument, understood } from "../streaming/buffered-response.ts";
import { chainFlows } from "../streaming/concat-streams.ts";
import type { Meter } from "../streaming/meter.ts";
import { mustBeTold, toldFlow } from "../streaming/replay-as-stream.ts";
import { watchStops } from "../streaming/stop-sequences.ts";
import { transcodedFlow } from "../streaming/transcoded-audio.ts";
import { nothing, readerOf, type Turner, translatedTurner, turnerOf, writerOf } from "../streaming/transcoder.ts";
import { createFlow, type Flow } from "../streaming/upstream-stream.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { mergeDeltas } from "./fan-out.ts";
import type { Lane } from "./upstream-plan.ts";

const encoder = new TextEncoder();

/** What sending a call needs to know of its request. */
export interface Sending extends Bringing {
  readonly inquiry: Inquiry;
  readonly clock: Clock;
  readonly log: AttemptLog;
  readonly estimates: UsageEstimates;
  /** Null where speech cannot be transcoded. */
  readonly transcoder: Transcoder | null;
}

/** Nothing has reached the provider. */
const isUnsent = ({ kind }: GatewayError): boolean => kind === "upstream_unreachable";

/** Sends one call and answers with a response that is a success. */
export async function sendCall(
  tries: Sending,
  lane: Lane,
  candidate: Candidate,
  call: Call,
  signal: AbortSignal,
): Promise<Response> {
  const { ask, envelope } = tries.inquiry;
  const { stream } = ask;
  const { log } = tries;
  const hopped = withNextHop(call, envelope.header(hopsHeader));
  const shipment = { call: hopped, dialect: lane.upstream, stream, signal };
  log.sent();
  const response = await candidate.provider.send(shipment).catch((thrown) => {
    if (thrown instanceof GatewayError && isUnsent(thrown)) log.unreachable();
    throw thrown;
  });
  log.answered(response.status);
  if (!response.ok) throw await refusal(response, lane, signal, tries.clock.nowMs());
  return response;
}

/** The whole reply to a call, understood, with its images as the client wants them. */
export function readCall(
  tries: Sending,
  lane: Lane,
  candidate: Candidate,
  call: Call,
  signal: AbortSignal,
): Promise<ReadReply> {
  return readResponse(tries, lane, candidate, sendCall(tries, lane, candidate, call, signal), signal);
}

async function readResponse(
  tries: Sending,
  lane: Lane,
  candidate: Candidate,
  sent: Response | Promise<Response>,
  signal: AbortSignal,
): Promise<ReadReply> {
  const response = await sent;
  const { inquiry, log } = tries;
  const read = await readReply(response, lane, inquiry, originOf(candidate.provider, candidate.model), signal);
  log.read(read.usage);
  if (read.answer?.operation !== "image") return read;
  const answer = await delivered(read.answer, inquiry.ask, tries, signal);
  return answer === read.answer ? read : { ...read, answer, changed: true };
}

/** Nobody counted, or nothing was counted for what was said. */
const isUncounted = (usage: Usage | undefined): boolean =>
  usage === undefined || (totalOutput(usage) === 0 && usage.units === undefined);

/** The reply with its usage: the provider's where it can be true, else the gateway's estimate, which the client is told too. */
export async function counted(read: ReadReply, lane: Lane, tries: Sending, candidate: Candidate): Promise<ReadReply> {
  if (!isUncounted(read.usage)) return read;
  const { inquiry, estimates } = tries;
  const origin = originOf(candidate.provider, candidate.model);
  const answer = understood(read, lane, { origin, ask: inquiry.ask });
  if (read.usage !== undefined && textOfAnswer(answer) === "") return read;
  const usage = await estimates.reply([inquiry.ask], answer, candidate);
  const known = read.answer === null ? { ...read, usage } : { ...read, usage, answer: { ...answer, usage } };
  const body =
    lane.verbatim && read.type === undefined ? lane.upstream.verbatim.withUsage?.(read.body, usage) : undefined;
  return body === undefined ? known : { ...known, body, bytes: encoder.encode(JSON.stringify(body)) };
}

/** The images of all calls of a lane as one reply. */
async function drawnTogether(
  tries: Sending,
  lane: Lane,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<ReadReply> {
  const [first, ...others] = await Promise.all(
    lane.calls.map((call) => readCall(tries, lane, candidate, call, signal)),
  );
  const answers = [first, ...others].flatMap((read) => (read?.answer?.operation === "image" ? [read.answer] : []));
  const answer = joinImages(answers);
  return { bytes: nothing, body: {}, usage: answer.usage, answer };
}

/** Some servers name no type, or plain text; a page is surely no stream, and a document may hold an error. */
async function refuseOtherTypes(response: Response, lane: Lane, signal: AbortSignal): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (/^application\/json/.test(type)) await refuseDocument(response, lane, signal);
  if (/^(?:text\/html|application\/json)/.test(type))
    throw new GatewayError("upstream_protocol_error", "The provider did not answer with an event stream.");
}

/** A flow from the upstream's own stream, or from a whole reply where it has none to give. */
export async function flowOf(
  tries: Sending,
  lane: Lane,
  candidate: Candidate,
  meter: Meter,
  life: Deadline,
): Promise<Flow> {
  const { inquiry } = tries;
  const origin = originOf(candidate.provider, candidate.model);
  if (lane.calls.length > 1 && inquiry.ask.operation === "image")
    return toldFlow(await drawnTogether(tries, lane, candidate, life.signal), lane, inquiry, meter, origin);
  if (lane.calls.length > 1) return chainedFlow(tries, lane, candidate, meter, life);
  const place = lane.spoken === undefined ? undefined : tries.transcoder?.reserve(life.signal);
  const response = await sendCall(tries, lane, candidate, lane.calls[0], life.signal);
  if (mustBeTold(inquiry, lane.upstream, response.headers)) {
    const read = await counted(
      await readResponse(tries, lane, candidate, response, life.signal),
      lane,
      tries,
      candidate,
    );
    return toldFlow(read, lane, inquiry, meter, origin);
  }
  const { sound } = inquiry.dialect;
  if (sound !== undefined) {
    const splitter = isEvents(response.headers.get("content-type")) ? undefined : wholeChunks();
    const open = (side: SoundSide): Flow =>
      createFlow(response, soundTurner(side, lane, inquiry, meter, origin, response.headers), life, splitter);
    if (place === undefined || inquiry.ask.operation !== "speak") return open(sound);
    const wanted = { side: sound, write: inquiry.write, format: inquiry.ask.format };
    return transcodedFlow(open, wanted, place, life.signal);
  }
  await refuseOtherTypes(response, lane, life.signal);
  return createFlow(response, turnerOf(lane, inquiry, meter, origin), life);
}

/** The flows of all calls of a lane, one after the other. */
function chainedFlow(tries: Sending, lane: Lane, candidate: Candidate, meter: Meter, life: Deadline): Flow {
  const { inquiry } = tries;
  const origin = originOf(candidate.provider, candidate.model);
  const open = async (call: Call, turner: Turner): Promise<Flow> => {
    const response = await sendCall(tries, lane, candidate, call, life.signal);
    await refuseOtherTypes(response, lane, life.signal);
    return createFlow(response, turner, life);
  };
  const writer = writerOf(inquiry);
  const merge = mergeDeltas(lane.parts);
  return chainFlows(lane.calls.length, (part) => {
    const stops = lane.watched.length === 0 ? undefined : watchStops(lane.watched, lane.calls.length);
    const turner = translatedTurner(readerOf(lane, inquiry, origin), writer, meter, merge(part, stops));
    return open(lane.calls[part] ?? lane.calls[0], turner);
  });
}
