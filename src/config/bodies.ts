// What is set for stored bodies: of which requests, how long, how much, and what is removed from them.
import type { BodySettings } from "../gateway/bodies/types.ts";
import type { ReadConfig } from "./file.ts";

const dayMs = 24 * 60 * 60_000;
const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "g");
    return true;
  } catch {
    return false;
  }
}

/** Adds what is wrong to the faults of the file. */
export function bodySettings({ config, faults, fault }: ReadConfig): BodySettings {
  const given = config.bodies ?? {};
  const {
    store = "never",
    sample_percent: percent = 1,
    max_kib: bodyKib = 256,
    max_total_mib: totalMib = 1_024,
  } = given;
  const { retention_days: days = 7, redact_fields: fields = [], redact_patterns: patterns = [] } = given;
  for (const [index, pattern] of patterns.entries())
    if (!isPattern(pattern))
      faults.add(fault(["bodies", "redact_patterns", String(index)], "is not a regular expression"));
  // With this nothing of content is stored anywhere.
  const retentionDays = config.responses?.retention_days === 0 ? 0 : days;
  return {
    usual: { store, sample_percent: percent },
    limits: {
      maxBodyBytes: bodyKib * kibibyte,
      maxTotalBytes: totalMib * mebibyte,
      retentionMs: retentionDays * dayMs,
    },
    redaction: { fields, patterns },
  };
}
