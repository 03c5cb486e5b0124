// Sounds that upstreams answer with in tests of speech, and what is looked at in answers.
import type { Reply } from "../support/upstream.ts";

export const mp3 = Buffer.concat([Buffer.from("fffb9064", "hex"), Buffer.alloc(60, 7)]);
export const samples = Buffer.from(
  Int16Array.from({ length: 480 }, (_, index) => Math.round(9_000 * Math.sin(index / 7))).buffer,
);
export const bytesOf = (answer: Response) => answer.arrayBuffer().then((bytes) => Buffer.from(bytes));
export const lossesOf = (answer: Response) => answer.headers.get("x-turnpike-warnings");
export const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: Record<string, unknown> };
  return { status: answer.status, param: error["param"], code: error["code"] };
};
export const plain = (bytes: Buffer, type: string, headers: Record<string, string> = {}): Reply => ({
  bytes: [bytes.subarray(0, 31), bytes.subarray(31)],
  headers: { "content-type": type, ...headers },
});
export const wavOf = (length: number | null, rate = 24_000) => {
  const header = Buffer.from(
    "524946460000000057415645666d74201000000001000100c05d000080bb0000020010006461746100000000",
    "hex",
  );
  header.writeUInt32LE(length === null ? 0xffffffff : 36 + length, 4);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt32LE(length ?? 0xffffffff, 40);
  return header;
};
