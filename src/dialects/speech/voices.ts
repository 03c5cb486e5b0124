// Which of a provider's voices speaks for a standard name: the table's voice, or one that the account really has.
import type { ListedVoice } from "../../canonical/speech.ts";

/** A provider's voice for a standard name: one, or one of some places only and another that exists everywhere. */
export type VoiceRow = string | { readonly preferred: string; readonly everywhere: string };

export type VoiceTable = Readonly<Record<string, VoiceRow>>;

export interface ChosenVoice {
  readonly voice: string;
  /** Another voice than the table's first choice. */
  readonly isOther: boolean;
}

/** How the standard voices sound. https://platform.openai.com/docs/guides/text-to-speech#voice-options, read 2026-11-22. */
const genders: Readonly<Record<string, ListedVoice["gender"]>> = {
  alloy: "female",
  ash: "male",
  ballad: "male",
  cedar: "male",
  coral: "female",
  echo: "male",
  fable: "male",
  marin: "female",
  nova: "female",
  onyx: "male",
  sage: "female",
  shimmer: "female",
  verse: "male",
};

const idsOf = (row: VoiceRow): readonly string[] => (typeof row === "string" ? [row] : [row.preferred, row.everywhere]);

/** A listed voice for a name, always the same one: names that sound alike are spread over the voices that do. */
function similarVoice(name: string, listed: readonly ListedVoice[]): string | undefined {
  const gender = genders[name];
  const alike = listed.filter((voice) => voice.gender === gender);
  const choice = alike.length > 0 ? alike : listed;
  const names = Object.keys(genders).filter((each) => genders[each] === gender);
  return choice[Math.max(names.indexOf(name), 0) % Math.max(choice.length, 1)]?.id;
}

/** `listed` is absent where the provider's own list is not known. */
export function chooseVoice(name: string, table: VoiceTable, listed?: readonly ListedVoice[]): ChosenVoice {
  const row = table[name];
  if (row === undefined) return { voice: name, isOther: false };
  const ids = idsOf(row);
  const [preferred = name] = ids;
  const usable = listed === undefined ? undefined : ids.find((id) => listed.some((voice) => voice.id === id));
  const voice = usable ?? similarVoice(name, listed ?? []) ?? ids.at(-1) ?? name;
  return { voice, isOther: voice !== preferred };
}

/** The id of a listed voice that a client names by its id or its name. */
export function listedVoiceId(name: string, listed: readonly ListedVoice[]): string | undefined {
  const lower = name.toLowerCase();
  return (listed.find(({ id }) => id === name) ?? listed.find((voice) => voice.name.toLowerCase() === lower))?.id;
}
