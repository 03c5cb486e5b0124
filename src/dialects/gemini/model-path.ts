// The model that a path of Google's names: on the Gemini API after `models/`, on Vertex AI with its publisher.
import { modelFromPath } from "./request.ts";

const google = "google";

/** Google's SDK writes `provider/model` as publisher and model on Vertex AI, and its own publisher where none is given. */
export function modelFrom({ model = "", publisher = google }: Readonly<Record<string, string>>): string {
  const name = modelFromPath(model);
  return publisher === google ? name : `${publisher}/${name}`;
}
