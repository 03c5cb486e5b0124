// The schema of `alerts:` in turnpike.yaml.
import { Type } from "typebox";

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
