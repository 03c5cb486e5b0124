// The short hands of the transcription suites: asking with the usual recording, and what was seen of it on either side.
import { ledgerRows } from "../support/ledger.ts";
import { stage } from "./stage.ts";
import { formOf, formSeen, type Part, wavFile } from "./transcription-forms.ts";

export const format = (value: string): Part => ["response_format", value];
export const lossesOf = (answer: Response) => answer.headers.get("x-turnpike-warnings");
export const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: Record<string, unknown> };
  return { status: answer.status, param: error["param"], code: error["code"] };
};
/** One cue that says `Hi` for two and a half seconds. */
export const srt = "1\n00:00:00,000 --> 00:00:02,500\nHi\n\n";

/** A stage, and how a suite asks on it. */
export async function transcribing() {
  const { gateway, upstream, transcribe } = await stage();
  const usual = (model: string, more: Part[]) => formOf([["model", model], ["file", wavFile], ...more]);
  const lastRequest = () => {
    const [request] = upstream.requests;
    if (request === undefined) throw new Error("nothing was asked");
    return request;
  };
  return {
    gateway,
    upstream,
    transcribe: transcribe,
    lastRequest,
    ledger: () => ledgerRows(gateway.dataFolder) as unknown as Record<string, unknown>[],
    asks: (model: string, ...more: Part[]) => transcribe(usual(model, more)),
    translates: (model: string, ...more: Part[]) => transcribe(usual(model, more), "translations"),
    textsSeen: async () => (await formSeen(lastRequest())).filter(([name]) => name !== "file"),
  };
}
