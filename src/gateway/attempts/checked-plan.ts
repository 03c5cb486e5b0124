// Plans that need a look at the content first: addresses of media are checked, images are downloaded for a provider that takes none by
// address, and large requests are parsed in a turn of their own.
import { type GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { UpstreamDialect } from "../../dialects/dialect.ts";
import { isLarge, nextEventLoopTurn } from "../../lib/event-loop-turn.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import { type FetchContext, needsBytes, withBytes } from "../operations/image-transfer.ts";
import type { VoiceLists } from "../operations/voice-lists.ts";
import { listedVoices } from "../operations/voice-mapping.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { clientClosed } from "./attempt-loop.ts";
import { addressesIn, checkAddresses } from "./media-addresses.ts";
import type { MakePlan, UpstreamPlan, Way } from "./upstream-plan.ts";

interface ContentContext extends FetchContext {
  readonly gatewayRequest: GatewayRequest;
  readonly signal: () => AbortSignal;
  readonly log: Pick<AttemptLog, "waits">;
  readonly voiceLists: VoiceLists;
  readonly transcoder: AudioTranscoder | null;
}

/** Whether a plan for this request needs a look at its content. */
export const needsContent = ({ outline, source }: GatewayRequest): boolean =>
  outline.mayHoldMedia || isLarge(source?.body?.length);

/** The plan for an upstream that needs bytes where the client gave addresses. */
async function planWithBytes(
  context: ContentContext,
  candidate: Candidate,
  upstream: UpstreamDialect,
  planFor: MakePlan,
): Promise<UpstreamPlan | GatewayError> {
  try {
    const fetched = await context.log.waits(withBytes(context.gatewayRequest, context, context.signal()));
    return planFor(fetched, candidate, upstream, context);
  } catch (thrown) {
    return context.signal().aborted ? clientClosed() : toGatewayError(thrown);
  }
}

/** Why a URL in the request must not be sent to this candidate; null if all may. */
async function refusedAddress(context: ContentContext, { provider }: Candidate): Promise<GatewayError | null> {
  const { gatewayRequest } = context;
  if (!gatewayRequest.outline.mayHoldMedia) return null;
  const addresses = addressesIn(gatewayRequest.request);
  if (addresses.length === 0) return null;
  try {
    await context.log.waits(checkAddresses(addresses, provider, context));
    return null;
  } catch (thrown) {
    return context.signal().aborted ? clientClosed() : toGatewayError(thrown);
  }
}

/** Parses a large request in one turn of the event loop; rendering takes the next. Returns the error, if any. */
async function parseApart(gatewayRequest: GatewayRequest, upstream: UpstreamDialect): Promise<GatewayError | null> {
  if (gatewayRequest.dialect === upstream || !isLarge(gatewayRequest.source?.body?.length)) return null;
  try {
    void gatewayRequest.request;
    await nextEventLoopTurn();
    return null;
  } catch (thrown) {
    return toGatewayError(thrown);
  }
}

/** The plan of one request for a candidate, in one dialect. */
export async function checkedPlanOf(
  context: ContentContext,
  candidate: Candidate,
  { upstream, gatewayRequest }: Way,
  planFor: MakePlan,
): Promise<UpstreamPlan | GatewayError> {
  const refused = (await parseApart(gatewayRequest, upstream)) ?? (await refusedAddress(context, candidate));
  if (refused !== null) return refused;
  return needsBytes(gatewayRequest, upstream)
    ? planWithBytes({ ...context, gatewayRequest }, candidate, upstream, planFor)
    : planFor(gatewayRequest, candidate, upstream, {
        limits: context.limits,
        listedVoices: await listedVoices(context, candidate),
        transcodes: context.transcoder !== null,
      });
}
