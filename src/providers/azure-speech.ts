// Azure's own speech service, which is not that of the models there: one region, one key, and voices for models.
import { azureSpeech as dialect } from "../dialects/index.ts";
import type { Secret } from "../lib/secret.ts";
import type { ProviderKind } from "./provider.ts";
import { readAzureVoices } from "./voice-lists.ts";

const regionName = /^[a-z][a-z0-9]{1,40}$/;

export const azureSpeech: ProviderKind = {
  kind: "azure-speech",
  environment: { credential: "AZURE_SPEECH_KEY", baseUrl: "AZURE_SPEECH_ENDPOINT" },
  dialects: [dialect],
  origin: "azure-speech",
  authorize: (credential: Secret) => ({ "ocp-apim-subscription-key": credential.reveal() }),
  voiceList: { path: "cognitiveservices/voices/list", read: readAzureVoices },
  account: {
    members: { region: ["AZURE_SPEECH_REGION"] },
    baseUrl: ({ region }) => (region === undefined ? undefined : `https://${region}.tts.speech.microsoft.com`),
    fault: ({ region }) =>
      region === undefined || regionName.test(region)
        ? null
        : { member: "region", problem: "the region must be a name such as westeurope" },
    open: () => ({}),
  },
};
