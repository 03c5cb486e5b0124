// The model in a path of Google's API: after `models/` on the Gemini API, with its publisher on Vertex AI.
import { modelFromPath } from "./request.ts";

const google = "google";

/**
 * On Vertex AI, Google's SDK writes `provider/model` as publisher and model, and its own publisher when there is none.
 */
export function modelFrom({ model = "", publisher = google }: Readonly<Record<string, string>>): string {
  const name = modelFromPath(model);
  return publisher === google ? name : `${publisher}/${name}`;
}
