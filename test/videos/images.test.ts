// Images of clients in every form × all vendors: as the vendor takes them, and where it looks for them.
import { afterAll, describe, expect, test } from "bun:test";
import { pixel } from "../dialects/video/setting.ts";
import { type Seen, upstream } from "../support/upstream.ts";
import type { ClientRequest } from "./clients/client.ts";
import { submitPath } from "./clients/video-b.ts";
import { openStage } from "./stage.ts";

const pictures = await upstream();
const stage = await openStage([new URL(pictures.url).host]);
afterAll(async () => {
  await stage.stop();
  await pictures.stop();
});
pictures.on("GET /cat.png", { bytes: [pixel], framing: "length", headers: { "content-type": "text/plain" } });

const address = `${pictures.url}/cat.png`;
const base64 = Buffer.from(pixel).toString("base64");
const dataUri = `data:image/png;base64,${base64}`;

type Given = "address" | "bytes";
type Carry = (model: string, prompt: string) => ClientRequest;

const post =
  (path: string, body: object, name = "model"): Carry =>
  (model, prompt) => ({ method: "POST", path, body: { [name]: model, prompt, ...body } });
const form =
  (part: string, value: string | File): Carry =>
  (model, prompt) => {
    const body = new FormData();
    for (const [name, text] of Object.entries({ model, prompt })) body.set(name, text);
    body.set(part, value);
    return { method: "POST", path: "/v1/videos", body };
  };
const plain = "/v1/video/generations";
const formatA = "/videoA/v1/videos/image2video";

const carriers: [string, Given, Carry][] = [
  ["plain: address", "address", post(plain, { image: address })],
  ["plain: data URI", "bytes", post(plain, { image: dataUri })],
  ["plain: Base64", "bytes", post(plain, { image: base64 })],
  ["plain: metadata", "bytes", post(plain, { metadata: { image: base64 } })],
  ["plain: list in metadata", "address", post(plain, { metadata: { images: [address] } })],
  ["videoA: address", "address", post(formatA, { image: address })],
  ["videoA: data URI", "bytes", post(formatA, { image: dataUri })],
  ["videoA: Base64", "bytes", post(formatA, { image: base64 }, "model_name")],
  ["videoB: address", "address", post(submitPath, { image_urls: [address] }, "req_key")],
  ["videoB: Base64", "bytes", post(submitPath, { binary_data_base64: [base64] }, "req_key")],
  ["videoB: data URI", "bytes", post(submitPath, { binary_data_base64: [dataUri], image_urls: [] }, "req_key")],
  ["videos: text", "address", post("/v1/videos", { input_reference: address })],
  ["videos: address", "address", post("/v1/videos", { input_reference: { image_url: address } })],
  ["videos: data URI", "bytes", post("/v1/videos", { input_reference: { image_url: dataUri } })],
  ["videos: file", "bytes", form("input_reference", new File([pixel], "cat.bin"))],
  ["videos: address in a form", "address", form("input_reference[image_url]", address)],
];

/** Where each vendor finds an image that was given so, and as what. */
const places: Record<string, Record<Given, string>> = {
  openai: { address: "input_reference[image_url] address", bytes: "input_reference file" },
  kling: { address: "image address", bytes: "image Base64" },
  klingNewer: { address: "contents.1.url address", bytes: "contents.1.url Base64" },
  jimeng: { address: "image_urls.0 address", bytes: "binary_data_base64.0 Base64" },
  veo: {
    address: "instances.0.image.bytesBase64Encoded Base64",
    bytes: "instances.0.image.bytesBase64Encoded Base64",
  },
  veoVertex: {
    address: "instances.0.image.bytesBase64Encoded Base64",
    bytes: "instances.0.image.bytesBase64Encoded Base64",
  },
  wan: { address: "input.img_url address", bytes: "input.img_url data URI" },
  minimax: { address: "first_frame_image address", bytes: "first_frame_image data URI" },
  minimaxNewer: { address: "content.1.image_url.url address", bytes: "content.1.image_url.url data URI" },
  vidu: { address: "images.0 address", bytes: "images.0 data URI" },
  // It fetches from secure addresses alone.
  runway: { address: "promptImage data URI", bytes: "promptImage data URI" },
  seedance: { address: "content.1.image_url.url address", bytes: "content.1.image_url.url data URI" },
  replicate: { address: "input.image address", bytes: "input.image data URI" },
  fal: { address: "image_url address", bytes: "image_url data URI" },
};

const forms: Record<string, string> = { [address]: "address", [base64]: "Base64", [dataUri]: "data URI" };

/** Every image in a body, by its path and its form. */
function imagesIn(value: unknown, path: string[] = []): string[] {
  if (typeof value === "string") return value in forms ? [`${path.join(".")} ${forms[value]}`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => imagesIn(each, [...path, name]));
}

/** The same of a form; its bytes are looked for as the text that the socket made of them. */
function imagesInForm({ text }: Seen): string[] {
  const parts = text.split(/--turnpike-\w+/).map((part) => part.split("\r\n\r\n"));
  return parts.flatMap(([head = "", value = ""]) => {
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? "";
    if (value.trim() in forms) return [`${name} ${forms[value.trim()]}`];
    const isPicture = value.includes(new TextDecoder().decode(pixel)) && head.includes("image/png");
    return isPicture && head.includes('filename="image.png"') ? [`${name} file`] : [];
  });
}

let count = 0;

describe.each([...stage.studios.keys()])("%s", (name) => {
  test.each(carriers)("%s", async (_carrier, given, carry) => {
    const studio = stage.studios.get(name);
    if (studio === undefined) throw new Error(`there is no ${name}`);
    const prompt = `a cat in story waiting by images${++count}`;
    const answer = await stage.ask(carry(`${name}/${studio.vendor.model(true)}`, prompt));
    const expected = places[name]?.[given] ?? "";
    expect(answer).toMatchObject({ status: 200 });
    const [seen] = studio.submits.get(prompt) ?? [];
    const found = seen?.json === undefined ? imagesInForm(seen as Seen) : imagesIn(seen.json);
    expect(found).toEqual([expected]);
  });
});

test("addresses were fetched for those alone that want bytes", () => {
  const fetched = carriers.filter(([, given]) => given === "address").length * 3;
  expect(pictures.requests).toHaveLength(fetched);
});
