// Reads the configuration again when its files change, or on request. It is applied completely or not at all, and the
// last valid one stays in effect.
import { existsSync, readFileSync } from "node:fs";
import { bodySettings } from "../config/bodies.ts";
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { type Environment, readSettings, type Settings } from "../config/environment.ts";
import { ConfigError, ConfigFault } from "../config/faults.ts";
import { type ReadConfig, readConfigFile, readConfigText } from "../config/file.ts";
import { type FileWatch, watchFiles } from "../config/file-watch.ts";
import { untilRestart, variablesUntilRestart } from "../config/restart.ts";
import type { Events } from "../telemetry/events.ts";

/** What was read: the process's variables with the values of files, and everything that the file configures. */
export interface Loaded {
  readonly settings: Settings;
  readonly configuration: Configuration;
}

interface ConfigurationStatus {
  /** When the configuration in effect was loaded. */
  readonly loadedAtMs: number;
  /** Why the last one that was read is not in effect; empty if it is. */
  readonly faults: readonly string[];
  /** Changed settings and variables that take effect only after the next start. */
  readonly needsRestart: readonly string[];
}

export interface LiveConfiguration {
  current(): Loaded;
  status(): ConfigurationStatus;
  /** Resolves when the files were read, and their configuration is in effect or was refused. */
  reload(): Promise<void>;
  close(): void;
}

export interface LiveConfigurationOptions {
  readonly environment: Environment;
  readonly workingFolder: string;
  /** The configuration at the start. */
  readonly first: Loaded;
  nowMs(): number;
  /**
   * Applies a configuration completely or not at all, and returns the names of what has changed. Throws a ConfigFault
   * to refuse it.
   */
  apply(next: Loaded, running: Loaded): Promise<readonly string[]>;
  readonly events: Pick<Events, "configurationApplied" | "configurationRefused" | "restartNeeded">;
}

/** The text of the file with the variables, and the files that were read for both. */
interface Attempt {
  readonly loaded: Loaded | null;
  readonly faults: readonly string[];
  readonly files: readonly string[];
}

const faultsOf = (thrown: unknown): readonly string[] => {
  if (thrown instanceof ConfigError) return thrown.faults;
  return [thrown instanceof Error ? thrown.message : String(thrown)];
};

/** The part of a configuration that takes effect before the next start, and the names of the rest. */
function effective({ settings, configuration }: Loaded, running: Loaded): { loaded: Loaded; waiting: string[] } {
  const { config, waiting } = untilRestart(configuration.file.config, running.configuration.file.config);
  const file: ReadConfig = { ...configuration.file, config };
  const { videos } = running.configuration;
  // The retention of responses, which waits for a start, may forbid to store any.
  const bodies = bodySettings(file);
  const loaded = { settings, configuration: { ...configuration, file, videos, bodies } };
  return { loaded, waiting: [...waiting, ...variablesUntilRestart(settings, running.settings)] };
}

class Reader {
  private readonly options: LiveConfigurationOptions;
  /** The text of the file in effect. */
  private goodText: string | null;

  constructor(options: LiveConfigurationOptions) {
    this.options = options;
    this.goodText = options.first.configuration.file.text;
  }

  isOld(): boolean {
    const { configFile } = this.options.first.settings;
    return this.goodText !== (existsSync(configFile) ? readFileSync(configFile, "utf8") : null);
  }

  private attempt(settings: Settings, text: string | null): Attempt {
    const files = [settings.configFile, ...settings.files];
    try {
      const file = readConfigFile(settings, text);
      const all = () => [...files, ...file.files.all()];
      try {
        return { loaded: { settings, configuration: readConfiguration(settings, file) }, faults: [], files: all() };
      } catch (thrown) {
        return { loaded: null, faults: faultsOf(thrown), files: all() };
      }
    } catch (thrown) {
      return { loaded: null, faults: faultsOf(thrown), files };
    }
  }

  /**
   * For a file with faults, the last valid text is used with the present variables, so that a replaced credential
   * takes effect.
   */
  read(): Attempt {
    const { environment, workingFolder } = this.options;
    let settings: Settings;
    let text: string | null;
    try {
      settings = readSettings(environment, workingFolder);
      text = readConfigText(settings, this.goodText !== null);
    } catch (thrown) {
      return { loaded: null, faults: faultsOf(thrown), files: [] };
    }
    const wanted = this.attempt(settings, text);
    if (wanted.loaded !== null) {
      this.goodText = text;
      return wanted;
    }
    const { loaded, files } = this.attempt(settings, this.goodText);
    return { loaded, faults: wanted.faults, files: [...wanted.files, ...files] };
  }
}

/** Follows the files of a configuration that was loaded. */
export function openLiveConfiguration(options: LiveConfigurationOptions): LiveConfiguration {
  const { first, events, nowMs } = options;
  const reader = new Reader(options);
  const filesOf = ({ settings, configuration }: Loaded): string[] => [
    ...[settings.configFile, ...settings.files],
    ...configuration.file.files.all(),
  ];
  let current = first;
  let status: ConfigurationStatus = { loadedAtMs: nowMs(), faults: [], needsRestart: [] };
  const refuse = (faults: readonly string[]): void => {
    const newFaults = faults.filter((fault) => !status.faults.includes(fault));
    if (newFaults.length > 0) events.configurationRefused(newFaults);
    status = { ...status, faults };
  };
  const accept = async (next: Loaded, faults: readonly string[]): Promise<void> => {
    const { loaded, waiting } = effective(next, first);
    const changed = await options.apply(loaded, current);
    current = loaded;
    const newlyWaiting = waiting.filter((name) => !status.needsRestart.includes(name));
    if (newlyWaiting.length > 0) events.restartNeeded(newlyWaiting);
    if (changed.length > 0 || faults.length === 0) events.configurationApplied(changed);
    status = {
      loadedAtMs: nowMs(),
      faults: status.faults.filter((fault) => faults.includes(fault)),
      needsRestart: waiting,
    };
  };
  const load = async (watch: FileWatch): Promise<void> => {
    const { loaded, faults, files } = reader.read();
    watch.watch([...new Set([...filesOf(current), ...files])]);
    try {
      if (loaded !== null) await accept(loaded, faults);
      if (faults.length > 0) refuse(faults);
    } catch (thrown) {
      refuse(faultsOf(thrown));
      // A store that does not respond now may do so later.
      if (!(thrown instanceof ConfigFault)) watch.expire();
    }
  };
  let last: Promise<void> = Promise.resolve();
  const reload = (): Promise<void> => {
    last = last.then(() => load(watch));
    return last;
  };
  const watch = watchFiles(() => reload());
  watch.watch(filesOf(first));
  // The start took a while, and the file may have changed since it was read.
  if (reader.isOld()) watch.expire();
  return { current: () => current, status: () => status, reload, close: watch.stop };
}
