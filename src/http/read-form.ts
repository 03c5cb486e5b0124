// Reads a request's form: type, size and shape are checked, texts become an object, files are views on the body.

import type { TSchema } from "typebox";
import { GatewayError } from "../canonical/error.ts";
import type { UploadedFile } from "../dialects/dialect.ts";
import { formValues } from "../dialects/shared/form-values.ts";
import { inSteps } from "../lib/event-loop-turn.ts";
import { type FormFieldFault, formObject } from "../lib/form-fields.ts";
import type { JsonObject } from "../lib/json.ts";
import { boundaryOf, type MultipartFault, type MultipartPart, readMultipart } from "../lib/multipart.ts";
import { tooLarge } from "./decompress.ts";
import { type ReadLimits, readPlain, releaseBuffer } from "./read.ts";
import type { BodyPace } from "./slow-body.ts";

/** A parsed form: texts by name, and files. */
interface ReadForm {
  readonly wire: JsonObject;
  readonly files: readonly UploadedFile[];
  /** Size of the body. */
  readonly bytes: number;
  /** The duration until the body was complete. */
  readonly readMs: number;
  /** Frees the memory of the body without waiting for the garbage collector. Its files are empty from then on. */
  release(): void;
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const faults: { readonly [reason in MultipartFault["reason"]]: string } = {
  start: "The form does not begin with its boundary",
  boundary: "A boundary of the form is followed by unexpected characters",
  end: "The form stops before its closing boundary",
  parts: "The form has too many parts",
  header: "The headers of a part are not valid or too long",
  disposition: "A part has no valid 'Content-Disposition: form-data' with a name",
  encoding: "A part has a content transfer encoding that is not supported",
  name: "A part has an invalid name",
};

const bad = (message: string, param: string | null = null): GatewayError =>
  new GatewayError("invalid_value", message, { param });

function fieldError({ reason, name }: FormFieldFault): GatewayError {
  const shown = /^[\w[\].-]{1,80}$/.test(name) ? name : null;
  if (reason === "conflict") return bad(`The form has conflicting values for '${shown}'.`, shown);
  return bad("A field of the form has an invalid name.", shown);
}

/** Whether the body of a request is a form, by its content type. */
export function isForm(request: Request): boolean {
  return /^\s*multipart\/form-data\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "");
}

function boundaryFor(request: Request): string {
  if (!isForm(request))
    throw new GatewayError("unsupported_media_type", "Send the body as 'Content-Type: multipart/form-data'.");
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (boundary === null) throw bad("The Content-Type of the form has no valid boundary.");
  return boundary;
}

function textOf({ name, bytes }: MultipartPart): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    throw bad("A field of the form is not valid UTF-8.", /^[\w[\].-]{1,80}$/.test(name) ? name : null);
  }
}

function fileOf({ name, fileName, type, bytes }: MultipartPart): UploadedFile[] {
  return fileName === undefined ? [] : [{ field: name, name: fileName, type, bytes }];
}

/** An empty file input, which browsers send without name and bytes. */
const isNothing = ({ fileName, bytes }: MultipartPart): boolean => fileName === "" && bytes.length === 0;

/** The form of a request. Throws status 400, 413 or 415; a fault in the body contains its byte offset. */
export async function readForm(
  request: Request,
  limits: Pick<
    ReadLimits,
    keyof BodyPace | "maxBodyBytes" | "maxFormTextBytes" | "maxFormParts" | "maxFormHeaderBytes"
  >,
): Promise<ReadForm> {
  const boundary = boundaryFor(request);
  const startedMs = performance.now();
  const body = await readPlain(request, limits);
  const readMs = performance.now() - startedMs;
  const read = await inSteps(readMultipart(body, boundary, limits));
  if (!read.ok) throw bad(`${faults[read.fault.reason]} (at byte ${read.fault.at}).`);
  const parts = read.parts.filter((part) => !isNothing(part));
  const texts = parts.filter(({ fileName }) => fileName === undefined);
  if (texts.reduce((sum, { bytes }) => sum + bytes.length, 0) > limits.maxFormTextBytes)
    throw tooLarge(limits.maxFormTextBytes, "The fields of the form are");
  const fields = formObject(texts.map((part) => ({ name: part.name, value: textOf(part) })));
  if (!fields.ok) throw fieldError(fields.fault);
  const files = parts.flatMap(fileOf);
  return { wire: fields.object, files, bytes: body.length, readMs, release: () => releaseBuffer(body) };
}

/** The form of a request, with texts converted by the schema. */
export async function readFormFor(schema: TSchema, request: Request, limits: ReadLimits): Promise<ReadForm> {
  const form = await readForm(request, limits);
  return { ...form, wire: formValues(schema, form.wire) };
}
