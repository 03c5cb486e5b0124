// A vendor of videos as data: a table of models, settings, states, codes and calls, and two functions of its own.
import type { VideoFailure, VideoField, VideoImage, VideoRequest, VideoResult } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { ErrorCodec, FormPart, UpstreamRequest } from "../dialect.ts";
import type { Durations, ModelRow, ModelTable } from "../shared/model-table.ts";
import type { VideoErrorTable } from "./error-codes.ts";
import type { States } from "./json-helpers.ts";
import type {
  EffectiveSettings,
  UpstreamAnswer,
  UpstreamTask,
  VideoProgress,
  VideoRenderContext,
  VideoUpstream,
} from "./upstream.ts";
import type { RenderedSettings } from "./warnings.ts";

/** A combination of settings in which a model makes less than its row says. */
export interface Limit {
  readonly when: {
    /** An image in this role was given, or was not. */
    readonly has?: VideoImage["role"];
    readonly lacks?: VideoImage["role"];
    /** Sound was requested. */
    readonly audio?: true;
    /** This length, or this resolution, would be made. */
    readonly seconds?: number;
    readonly otherSeconds?: number;
    readonly resolution?: string;
  };
  readonly durations?: Durations;
  readonly resolutions?: readonly string[];
}

/** A row of a vendor's table of models. */
export interface VideoRow extends ModelRow {
  readonly limits?: readonly Limit[];
  readonly needsPrompt?: boolean;
  /** What is requested where the client specified no length. */
  readonly usualSeconds?: number;
  /** Which of the optional settings and native fields the model has; all of them where absent. */
  readonly options?: readonly string[];
}

/** Every field that a client may set, apart from images: each vendor answers for each of them. */
export type VideoSetting = Exclude<VideoField, "endUser" | "metadata">;

/**
 * Where a setting is in the body, as a path with dots: its value as it is, or as `as` writes it. `fixed`: there is no
 * such field, and this value is made, or the first of the model's row. `custom`: the vendor's own function writes it,
 * there. Null: unsupported, dropped with a warning.
 */
export type SettingField =
  | string
  | { readonly at: string; as(value: never): Json | undefined }
  | { readonly fixed: number | "row" }
  | { readonly custom: string }
  | null;
/** Written, and warned of, in the order in which they are listed. */
export type SettingFields = { readonly [setting in VideoSetting]: SettingField };

/** An upstream that was made of a vendor's table. */
export interface TableUpstream extends VideoUpstream {
  /** The fields as this model has them. */
  fieldsOf(model: string): SettingFields;
}

/** The values that are written, of those settings that may differ from what the client requested. */
export interface SentSettings {
  readonly seconds?: number | undefined;
  readonly size?: string | undefined;
  readonly ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly audio?: boolean | undefined;
}

/** Size, ratio and resolution as they are sent, and as they will be made. */
export interface Shape {
  readonly sent: Pick<SentSettings, "size" | "ratio" | "resolution">;
  readonly made: Omit<RenderedSettings, "seconds">;
}

/** A submit with every setting decided, for the function that writes the rest of the body. */
export interface VendorSubmit<Row extends VideoRow> {
  readonly request: VideoRequest;
  readonly context: VideoRenderContext;
  readonly row: Row;
  readonly sent: SentSettings;
  /** The settings as the table of fields writes them. */
  readonly settings: JsonObject;
}

/** The path of a submit, and what the table of fields does not say of its body. */
export interface SubmitBody {
  readonly path: string;
  /** Laid over the settings; only they are the body where absent. */
  readonly body?: JsonObject;
  /** Sent in place of the body. */
  readonly form?: readonly FormPart[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly upstreamState?: JsonObject;
  readonly warnings?: readonly Warning[];
}

/** What the body of an answer says of its task. */
export interface TaskReading {
  /** The vendor's status; where it is empty or not a text, the answer does not mention the task. */
  readonly status: unknown;
  /** The code and the prose of a failure, or the failure itself. */
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly failure?: VideoFailure;
  readonly results?: readonly VideoResult[] | undefined;
  readonly percent?: number | undefined;
  readonly effect?: EffectiveSettings;
}

/** A call about a task: method and path with `{id}` and `{ref}`, or a function. */
export type TaskCall = string | ((task: UpstreamTask) => UpstreamRequest);

/** Paths at which the code and the message of an error are; the first text or number counts. */
export interface ErrorPaths {
  readonly code: readonly string[];
  readonly message: readonly string[];
}

/** Which images go together, beyond the roles in a model's row. */
export interface ImageRules {
  /** Frames or references, not both. */
  readonly exclusive?: true;
  readonly lastNeedsFirst?: true;
  /** The vendor's own function decides which roles a model takes. */
  readonly ownRoles?: true;
  readonly mostReferences?: number;
}

type OwnMembers =
  | "name"
  | "serves"
  | "imageForms"
  | "httpsOnly"
  | "maxVideos"
  | "remix"
  | "content"
  | "inlineResults"
  | "pace";

/** A vendor's table. `Row` is its row of models. */
export interface VideoVendor<Row extends VideoRow = VideoRow>
  extends Pick<VideoUpstream, OwnMembers | "deadlineSeconds" | "resultSeconds"> {
  /** Throws where the table depends on the request and none fits. */
  readonly models: ModelTable<Row> | ((request: VideoRequest, context: VideoRenderContext) => ModelTable<Row>);
  /** The context with the model that the request calls for, where one name covers several. */
  modelFor?(request: VideoRequest, context: VideoRenderContext): VideoRenderContext;
  /** The request with the vendor's own words read. */
  normalize?(request: VideoRequest): VideoRequest;
  /** When a prompt is required; a row may require it always. */
  readonly needsPrompt: "always" | "without-images" | "without-frames";
  readonly images?: ImageRules;
  readonly fields: SettingFields | ((row: Row) => SettingFields);
  /** Fields of its own that a client may set by name, as paths: read from the client's native fields. */
  readonly native?: readonly string[];
  /** What is made where the client specified nothing, as far as it is known; `first` is the first of the model's row. */
  readonly usual?: {
    readonly seconds?: number;
    readonly ratio?: string;
    readonly resolution?: string;
    readonly audio?: boolean;
  };
  /** Of these the usual value is sent, too. */
  readonly sendsUsual?: readonly ("seconds" | "ratio" | "resolution")[];
  /** The video has the shape of its images. */
  readonly ratioFollows?: "first" | "frames" | "images";
  /** Sizes in place of ratios, or with them. Undefined: as all others do. */
  shape?(request: VideoRequest, row: Row): Shape | undefined;
  /** Whether models make sound of which no row says it, where it cannot be chosen. */
  readonly assumesAudio?: boolean;
  /** What is reported of the shape: the resolution; the size in place of it; both; or both, with a size that ratio and resolution imply. */
  readonly reports?: "resolution" | "size" | "both" | "implied";
  submit(submit: VendorSubmit<Row>): SubmitBody;

  /** Path of the id in the answer to a submit. */
  readonly id: string;
  /** Whether a successful answer to a submit is a refusal in truth. */
  isRefusal?(body: JsonObject): boolean;
  /** The answer to a submit says what `read` reads, too. */
  readonly readsSubmit?: true;
  /** What the answer to a submit adds to the state of later calls. */
  upstreamStateOf?(body: JsonObject): JsonObject;
  readonly states: States;
  readonly errorCodes: VideoErrorTable;
  /** Undefined parts: `faults` by the code, else the status. */
  readonly error: ErrorPaths | ErrorCodec["parse"];
  /** Null where the body says nothing of the task. */
  read(body: JsonObject, task: UpstreamTask): TaskReading | VideoProgress | null;
  /** What a status of 300 and above, or a code next to 200, says of a task; undefined: as for all other vendors. */
  readStatus?(answer: UpstreamAnswer, task: UpstreamTask): VideoProgress | null | undefined;
  readonly poll: TaskCall;
  readonly cancel?: TaskCall;
  readonly remove?: TaskCall;
  /** For results of kind `locate`: the call, and the paths at which its answer has the address. */
  readonly locate?: { readonly call: string; readonly url: string };
}
