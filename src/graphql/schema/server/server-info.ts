/** What the app knows of itself, for the queries of this folder. Models come from the running configuration instead. */
import type { LiveConfig } from '../../../config/config.ts'
import type { ConfigReadings, LiveConfigFile } from '../../../config/live-config.ts'
import type { SandboxState } from '../../../execution/command.ts'
import type { CommandService } from '../../../execution/run-command.ts'
import type { ModelFailure, ModelFailures } from '../../../model/model-failures.ts'
import { VERSION } from '../../../platform/version.ts'

export interface ServerInfo {
  /** The version in package.json. */
  readonly version: string
  readonly startedAt: Date
  /** Product, version and where it runs, such as "PostgreSQL 18.1 (embedded)". */
  readonly database: string
  /** Nothing of it moves by itself (`--paused`). */
  readonly isPaused: boolean
  /** The sandbox as the last probe found it. */
  sandboxState(): SandboxState
  /** What became of config.toml in this process; without the file's path; problems may quote its values. */
  configReadings(): ConfigReadings
  /** What models failed with last and have not made good since, in this process; may quote secrets. */
  modelFailures(): readonly ModelFailure[]
}

export interface ServerParts extends Pick<ServerInfo, 'startedAt' | 'database' | 'isPaused'> {
  readonly commands: Pick<CommandService, 'sandbox'>
  readonly file: Pick<LiveConfigFile, 'readings'>
  readonly config: LiveConfig
  readonly modelFailures: Pick<ModelFailures, 'list'>
}

/** Reads each state anew when it is asked for. */
export function createServerInfo({ commands, file, config, modelFailures, ...known }: ServerParts): ServerInfo {
  return {
    version: VERSION,
    ...known,
    sandboxState: () => commands.sandbox(),
    configReadings: () => file.readings(),
    modelFailures: () => modelFailures.list(config.current()),
  }
}
