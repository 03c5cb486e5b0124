// A video vendor as data: a table of models, settings, states, codes and calls, and two functions.
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

/** A combination of settings in which a model supports less than its row. */
export interface Limit {
  readonly when: {
    /** An image in this role was given, or was not. */
    readonly has?: VideoImage["role"];
    readonly lacks?: VideoImage["role"];
    /** Sound was requested. */
    readonly audio?: true;
    /** This length, or this resolution, would result. */
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
  /** The length that is sent by default. */
  readonly usualSeconds?: number;
  /** The optional settings and native fields of the model; all of them where absent. */
  readonly options?: readonly string[];
}

/** Every field that a client may set, apart from images. Each vendor must have an entry for each. */
export type VideoSetting = Exclude<VideoField, "endUser" | "metadata">;

/**
 * The path of a setting in the body, with dots: its value unchanged, or as `as` converts it. `fixed`: there is no such
 * field, and the result has this value, or the first of the model's row. `custom`: the vendor's own function writes it
 * there. Null: unsupported, dropped with a warning.
 */
export type SettingField =
  | string
  | { readonly at: string; as(value: never): Json | undefined }
  | { readonly fixed: number | "row" }
  | { readonly custom: string }
  | null;
/** Written, and reported as lost, in this order. */
export type SettingFields = { readonly [setting in VideoSetting]: SettingField };

/** An upstream that was built from a vendor's table. */
export interface TableUpstream extends VideoUpstream {
  /** The fields as this model has them. */
  fieldsOf(model: string): SettingFields;
}

/** The sent values of settings that may differ from the request. */
export interface SentSettings {
  readonly seconds?: number | undefined;
  readonly size?: string | undefined;
  readonly ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly audio?: boolean | undefined;
}

/** Size, ratio and resolution as sent, and as expected in the result. */
export interface Shape {
  readonly sent: Pick<SentSettings, "size" | "ratio" | "resolution">;
  readonly made: Omit<RenderedSettings, "seconds">;
}

/** A submit with all settings decided, for the function that writes the rest of the body. */
export interface VendorSubmit<Row extends VideoRow> {
  readonly request: VideoRequest;
  readonly context: VideoRenderContext;
  readonly row: Row;
  readonly sent: SentSettings;
  /** The settings as rendered by the field table. */
  readonly settings: JsonObject;
}

/** The path of a submit, and the parts of its body outside the field table. */
export interface SubmitBody {
  readonly path: string;
  /** Merged over the settings; absent: only the settings. */
  readonly body?: JsonObject;
  /** Sent in place of the body. */
  readonly form?: readonly FormPart[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly upstreamState?: JsonObject;
  readonly warnings?: readonly Warning[];
}

/** What the body of a reply reports about its task. */
export interface TaskReading {
  /** The vendor's status; where it is empty or not a text, the reply is not about the task. */
  readonly status: unknown;
  /** The code and the text of a failure, or the failure itself. */
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly failure?: VideoFailure;
  readonly results?: readonly VideoResult[] | undefined;
  readonly percent?: number | undefined;
  readonly effect?: EffectiveSettings;
}

/** A call about a task: method and path with `{id}` and `{ref}`, or a function. */
export type TaskCall = string | ((task: UpstreamTask) => UpstreamRequest);

/** Paths of an error's code and message; the first text or number is used. */
interface ErrorPaths {
  readonly code: readonly string[];
  readonly message: readonly string[];
}

/** Which images can be combined, beyond the roles in a model's row. */
export interface ImageRules {
  /** Frames or references, but not both. */
  readonly exclusive?: true;
  readonly lastNeedsFirst?: true;
  /** The vendor's own function checks the roles. */
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
  /** The context with the model for the request, where one name covers several. */
  modelFor?(request: VideoRequest, context: VideoRenderContext): VideoRenderContext;
  /** Reads the vendor's own values in the request. */
  normalize?(request: VideoRequest): VideoRequest;
  /** When a prompt is required; a row may always require it. */
  readonly needsPrompt: "always" | "without-images" | "without-frames";
  readonly images?: ImageRules;
  readonly fields: SettingFields | ((row: Row) => SettingFields);
  /** Its own fields that a client may set by name, as paths in the client's native fields. */
  readonly native?: readonly string[];
  /** The defaults of the vendor, as far as they are known; `first` is the first of the model's row. */
  readonly usual?: {
    readonly seconds?: number;
    readonly ratio?: string;
    readonly resolution?: string;
    readonly audio?: boolean;
  };
  /** Settings whose default is sent. */
  readonly sendsUsual?: readonly ("seconds" | "ratio" | "resolution")[];
  /** The video has the shape of its images. */
  readonly ratioFollows?: "first" | "frames" | "images";
  /** Sizes instead of ratios, or in addition. Undefined: the shared rule. */
  shape?(request: VideoRequest, row: Row): Shape | undefined;
  /** Whether models produce audio where their rows do not specify it and there is no choice. */
  readonly assumesAudio?: boolean;
  /**
   * What is reported of the shape: the resolution; the size instead; both; or both, with a size that ratio and
   * resolution imply.
   */
  readonly reports?: "resolution" | "size" | "both" | "implied";
  submit(submit: VendorSubmit<Row>): SubmitBody;

  /** The path of the id in the reply to a submit. */
  readonly id: string;
  /** Whether a reply with a success status is a refusal. */
  isRefusal?(body: JsonObject): boolean;
  /** `read` can also read the reply to a submit. */
  readonly readsSubmit?: true;
  /** What the reply to a submit adds to the state of later calls. */
  upstreamStateOf?(body: JsonObject): JsonObject;
  readonly states: States;
  readonly errorCodes: VideoErrorTable;
  /** Undefined parts: by the code in `faults`, otherwise by the status. */
  readonly error: ErrorPaths | ErrorCodec["parse"];
  /** Null where the body is not about the task. */
  read(body: JsonObject, task: UpstreamTask): TaskReading | VideoProgress | null;
  /** What a status of 300 and above, or an error code with status 200, means for a task; undefined: the shared rule. */
  readStatus?(answer: UpstreamAnswer, task: UpstreamTask): VideoProgress | null | undefined;
  readonly poll: TaskCall;
  readonly cancel?: TaskCall;
  readonly remove?: TaskCall;
  /** For results of kind `locate`: the call, and the paths of the URL in its reply. */
  readonly locate?: { readonly call: string; readonly url: string };
}
