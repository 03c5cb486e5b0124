// Recordings and forms for tests of transcription, and what an upstream saw of a form.
import type { Seen } from "../support/upstream.ts";

/** A quarter of a second of silence, 8,000 samples a second. */
export const wav = Buffer.concat([
  Buffer.from("52494646c40f000057415645666d74201000000001000100401f0000803e000002001000", "hex"),
  Buffer.from("64617461a00f0000", "hex"),
  Buffer.alloc(4_000),
]);

export type Part = readonly [name: string, value: string | File];

export const wavFile = new File([wav], "talk.wav", { type: "audio/wav" });
export const smallest: readonly Part[] = [
  ["model", "gpt-x"],
  ["file", wavFile],
];

/** The parts in this order, by the runtime's own writer. */
export function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

/** What stood in the form that the upstream got; of files only name, type and size. */
export async function formSeen({ text, headers }: Seen): Promise<[string, unknown][]> {
  const form = await new Response(text, { headers: { "content-type": headers.get("content-type") ?? "" } }).formData();
  return [...form].map(([name, value]) => [
    name,
    typeof value === "string" ? value : { name: value.name, type: value.type, size: value.size },
  ]);
}
