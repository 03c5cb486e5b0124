// Settings of alerts: where they are sent, how they are signed, and when a problem is reported again.
import { webhookKeyOf } from "../lib/webhook.ts";
import type { ReadConfig } from "./file.ts";

export interface AlertSettings {
  readonly url: string;
  readonly key: Uint8Array;
  /** 0: problems are not reported again. */
  readonly reminderMs: number;
  readonly diskFreePercent: number;
}

const minute = 60_000;
const reminderDefault = 240;
export const diskFreeDefault = 10;

/** Null without alerts. Adds what is wrong to the faults of the file. */
export function alertSettings({ config, faults, fault }: ReadConfig): AlertSettings | null {
  const given = config.alerts;
  if (given === undefined) return null;
  const url = URL.parse(given.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "")
    faults.add(fault(["alerts", "url"], "not a valid URL"));
  const key = webhookKeyOf(given.secret);
  if (key === null) faults.add(fault(["alerts", "secret"], "must be 'whsec_' followed by 24 to 64 bytes in Base64"));
  return {
    url: given.url,
    key: key ?? new Uint8Array(),
    reminderMs: (given.reminder_minutes ?? reminderDefault) * minute,
    diskFreePercent: given.disk_free_percent ?? diskFreeDefault,
  };
}
