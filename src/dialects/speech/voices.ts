// Chooses a provider's voice for a standard name: from the table, or from the voices of the account.
import type { ListedVoice } from "../../canonical/speech.ts";

/** A provider's voice for a standard name: one voice, or a preferred one with an alternative that exists everywhere. */
type VoiceRow = string | { readonly preferred: string; readonly everywhere: string };

export type VoiceTable = Readonly<Record<string, VoiceRow>>;

interface ChosenVoice {
  readonly voice: string;
  /** Not the table's first choice. */
  readonly isOther: boolean;
}

/**
 * The gender of the standard voices. https://platform.openai.com/docs/guides/text-to-speech#voice-options, read
 * 2026-11-22.
 */
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

/**
 * A listed voice for a name, always the same one. Names of one gender are distributed over the voices of that gender.
 */
function similarVoice(name: string, listed: readonly ListedVoice[]): string | undefined {
  const gender = genders[name];
  const alike = listed.filter((voice) => voice.gender === gender);
  const choice = alike.length > 0 ? alike : listed;
  const names = Object.keys(genders).filter((each) => genders[each] === gender);
  return choice[Math.max(names.indexOf(name), 0) % Math.max(choice.length, 1)]?.id;
}

/** `listed` is absent where the provider's voices are unknown. */
export function chooseVoice(name: string, table: VoiceTable, listed?: readonly ListedVoice[]): ChosenVoice {
  const row = table[name];
  if (row === undefined) return { voice: name, isOther: false };
  const ids = idsOf(row);
  const [preferred = name] = ids;
  const usable = listed === undefined ? undefined : ids.find((id) => listed.some((voice) => voice.id === id));
  const voice = usable ?? similarVoice(name, listed ?? []) ?? ids.at(-1) ?? name;
  return { voice, isOther: voice !== preferred };
}

/** The id of a listed voice, by its id or its name. */
export function listedVoiceId(name: string, listed: readonly ListedVoice[]): string | undefined {
  const lower = name.toLowerCase();
  return (listed.find(({ id }) => id === name) ?? listed.find((voice) => voice.name.toLowerCase() === lower))?.id;
}
