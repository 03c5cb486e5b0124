// The fields of a transcription and of a translation, beside the file.
import { type TSchema, Type } from "typebox";
import { transcriptFormats } from "../../canonical/transcription.ts";
import { enumeration, optional } from "../schema-helpers.ts";

const strings = (description: string): TSchema =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }));

const shared = {
  model: Type.String({ minLength: 1, description: "Model id." }),
  prompt: optional("string", { description: "Words that help to understand the recording." }),
  temperature: optional("number", { minimum: 0, maximum: 1, description: "0 to 1." }),
  stream: optional("boolean", { default: false, description: "Events while the text is found." }),
};

export const transcriptionSchema = Type.Object(
  {
    ...shared,
    language: optional("string", { description: "ISO 639-1 code of the language spoken." }),
    response_format: enumeration(transcriptFormats, { default: "json", description: "Form of the reply." }),
    timestamp_granularities: Type.Optional(
      Type.Union([Type.Array(Type.Enum(["word", "segment"])), Type.Null()], { description: "What gets times." }),
    ),
    include: Type.Optional(Type.Union([Type.Array(Type.Enum(["logprobs"])), Type.Null()])),
    known_speaker_names: strings("Names for the voices."),
    known_speaker_references: strings("Samples of the voices, as data URIs."),
    languages: strings("Languages that may be spoken."),
    keywords: strings("Words that may be said."),
  },
  { additionalProperties: true },
);

/** The form of the reply is any word: what an upstream of this dialect makes of others than the usual, it decides. */
export const translationSchema = Type.Object(
  { ...shared, response_format: optional("string", { default: "json", description: "Form of the reply." }) },
  { additionalProperties: true },
);
