// The fields of a transcription and of a translation, beside the file.
import { type TSchema, Type } from "typebox";
import { transcriptFormats } from "../../canonical/transcription.ts";
import { enumeration, optional } from "../schema-helpers.ts";

const strings = (description: string): TSchema =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }));

const shared = {
  model: Type.String({ minLength: 1, description: "ID of the model to use." }),
  prompt: optional("string", { description: "Text that guides the transcription, such as names in the recording." }),
  temperature: optional("number", { minimum: 0, maximum: 1, description: "Sampling temperature, from 0 to 1." }),
  stream: optional("boolean", {
    default: false,
    description: "Whether to stream the transcript as server-sent events.",
  }),
};

export const transcriptionSchema = Type.Object(
  {
    ...shared,
    language: optional("string", { description: "Language of the audio, as an ISO 639-1 code." }),
    response_format: enumeration(transcriptFormats, { default: "json", description: "Format of the response." }),
    timestamp_granularities: Type.Optional(
      Type.Union([Type.Array(Type.Enum(["word", "segment"])), Type.Null()], {
        description: "Timestamp granularities to return.",
      }),
    ),
    include: Type.Optional(Type.Union([Type.Array(Type.Enum(["logprobs"])), Type.Null()])),
    known_speaker_names: strings("Names of known speakers."),
    known_speaker_references: strings("Audio samples of the known speakers, as data URIs."),
    languages: strings("Languages that the audio may contain."),
    keywords: strings("Words that the audio may contain."),
  },
  { additionalProperties: true },
);

/** The form of the reply is any word: what an upstream of this dialect makes of others than the usual, it decides. */
export const translationSchema = Type.Object(
  { ...shared, response_format: optional("string", { default: "json", description: "Format of the response." }) },
  { additionalProperties: true },
);
