// Looks at a stream on its way to the client: the response in it wears the gateway's id, and is kept before it is over.
import { identified, type ResponseEvent, responseEventIn } from "../../dialects/stored-responses.ts";
import type { JsonObject } from "../../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../../lib/sse.ts";
import type { StreamInterceptor } from "../streaming/client-stream.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { identityOfJob, persistFinal } from "./persist.ts";

const encoder = new TextEncoder();
/** Every event that tells the response holds this member; within a text its quotes would be escaped. */
const sign = Buffer.from('"response"');

const holdsResponse = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(sign);

/** The texts of whole frames. */
function framesIn(bytes: Uint8Array): string[] {
  const splitter = frameSplitter(Number.POSITIVE_INFINITY);
  return [splitter.push(bytes), splitter.rest()].flatMap((chunk) => chunk?.raws ?? []);
}

function retold(raw: string, { event }: ResponseEvent, response: JsonObject): string {
  const frame = readFrame(raw);
  return formatFrame({ ...frame, data: JSON.stringify({ ...event, response }) });
}

const tellingOfRaw = (raw: string): ResponseEvent | null => {
  const frame = readFrame(raw);
  return frame === null ? null : responseEventIn(frame);
};

/** Frames go by unread, but for the few that hold the response. */
export function interceptorOf(dependencies: ResponsesDependencies, job: ResponseJob): StreamInterceptor {
  const identity = identityOfJob(job);
  return {
    pass(bytes) {
      if (!holdsResponse(bytes)) return bytes;
      const texts = framesIn(bytes).map((raw) => {
        const telling = tellingOfRaw(raw);
        return telling === null ? `${raw}\n\n` : retold(raw, telling, identified(telling.response, identity));
      });
      return encoder.encode(texts.join(""));
    },
    async last(bytes) {
      let text = "";
      for (const raw of framesIn(bytes)) {
        const telling = tellingOfRaw(raw);
        if (telling === null) text += `${raw}\n\n`;
        else if (!telling.isFinal) text += retold(raw, telling, identified(telling.response, identity));
        else text += retold(raw, telling, await persistFinal(dependencies, job, telling.response));
      }
      return encoder.encode(text);
    },
  };
}
