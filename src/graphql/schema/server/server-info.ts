/** What the app knows of itself, for the queries of this folder. Models come from the running configuration instead. */
import type { ConfigReadings, LiveConfigFile } from '../../../config/live-config.ts'
import type { SandboxState } from '../../../execution/command.ts'
import type { CommandService } from '../../../execution/run-command.ts'
import { VERSION } from '../../../platform/version.ts'

export interface ServerInfo {
  /** The version in package.json. */
  readonly version: string
  readonly startedAt: Date
  /** Product, version and where it runs, such as "PostgreSQL 18.1 (embedded)". */
  readonly database: string
  /** The sandbox as the last probe found it. */
  sandboxState(): SandboxState
  /** What became of config.toml in this process; without the file's path; problems may quote its values. */
  configReadings(): ConfigReadings
}

export interface ServerParts extends Pick<ServerInfo, 'startedAt' | 'database'> {
  readonly commands: Pick<CommandService, 'sandbox'>
  readonly file: Pick<LiveConfigFile, 'readings'>
}

/** Reads each state anew when it is asked for. */
export function createServerInfo({ startedAt, database, commands, file }: ServerParts): ServerInfo {
  return {
    version: VERSION,
    startedAt,
    database,
    sandboxState: () => commands.sandbox(),
    configReadings: () => file.readings(),
  }
}
