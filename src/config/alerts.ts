// Settings of alerts: where they are sent, how they are signed, and when a problem is reported again.
import { type Static, Type } from "typebox";
import { webhookKeyOf } from "../lib/webhook.ts";
import type { ReadConfig } from "./file.ts";

export interface AlertSettings {
  readonly url: string;
  readonly key: Uint8Array;
  /** 0: problems are not reported again. */
  readonly reminderMs: number;
  readonly diskFreePercent: number;
}

const minuteMs = 60_000;
const defaultReminderMinutes = 240;
const defaultDiskFreePercent = 10;

export const alertsSchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      description:
        "URL that alerts are sent to with POST. A private address or another port than 80 and 443 must be in `fetch.allow`.",
    }),
    secret: Type.String({
      description:
        "`whsec_` followed by 24 to 64 bytes in Base64: signs each message as in Standard Webhooks. Write `${VARIABLE}`.",
    }),
    reminder_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        description: "Time after which a problem that lasts is reported again. Default 240; 0 for never.",
      }),
    ),
    disk_free_percent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 90,
        description: "Free space of the disk of the data folder below which `disk.filling` is sent. Default 10.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "Alerts by signed webhook. See [operating.md](operating.md#alerts). If omitted, none are sent.",
  },
);

/** Null without alerts. Adds what is wrong to the faults of the file. */
export function alertSettings({ config, faults, fault }: ReadConfig): AlertSettings | null {
  const given: Static<typeof alertsSchema> | undefined = config.alerts;
  if (given === undefined) return null;
  const url = URL.parse(given.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "")
    faults.add(fault(["alerts", "url"], "not a valid URL"));
  const key = webhookKeyOf(given.secret);
  if (key === null) faults.add(fault(["alerts", "secret"], "must be 'whsec_' followed by 24 to 64 bytes in Base64"));
  return {
    url: given.url,
    key: key ?? new Uint8Array(),
    reminderMs: (given.reminder_minutes ?? defaultReminderMinutes) * minuteMs,
    diskFreePercent: given.disk_free_percent ?? defaultDiskFreePercent,
  };
}
