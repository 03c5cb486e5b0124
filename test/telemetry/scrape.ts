// Reads the metrics of a running gateway: samples by their name and labels.
import { adminKey, type RunningGateway } from "../support/gateway.ts";

/** The text of `/metrics`, as the admin key gets it. */
export async function metricsText({ url }: Pick<RunningGateway, "url">, accept?: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminKey}`, ...(accept === undefined ? {} : { accept }) };
  const answer = await fetch(`${url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: string;
}

const sampleLine = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Every sample of the text. Throws for a line that is none. */
export function samplesOf(text: string): Sample[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
    if (name === "") throw new Error(`this is not a sample: ${line}`);
    return { name, value, labels: Object.fromEntries([...labels.matchAll(label)].map(([, key, text]) => [key, text])) };
  });
}

/** The value of the one sample with this name and at least these labels; 0 where there is none. */
export function sampleValue(text: string, name: string, labels: Record<string, string> = {}): number {
  const found = samplesOf(text).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${name} has ${found.length} samples with these labels`);
  return Number(found[0]?.value ?? 0);
}
