// Ends a request that is in progress.
import { call } from "../../data/api.ts";
import { texts } from "../../texts.ts";

export const isRunning = (state: string): boolean => state === "open" || state === "pending";

/** Gives what happened, in a sentence. */
export async function cancelRequest(id: string): Promise<string> {
  const path = `requests/${encodeURIComponent(id)}/cancel`;
  const { canceled } = await call<{ readonly canceled: boolean }>(path, { method: "POST" });
  return canceled ? texts.requests.canceled : texts.requests.notInProgress;
}
