/** A plugin that runs, in a thread or in the server: the port that everything else in this folder calls. */
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import type { LogLevel, PluginCall, PluginStart, ProgressData, ServerRequest } from '../plugin-api/messages.ts'

/** The server as a plugin reaches it. `during`: the call in which it asks; null: in none that is open. */
export interface PluginPort {
  /** Rejects with an Error that says what to change. */
  ask(request: ServerRequest, during: PluginCall | null): Promise<Json>
  log(level: LogLevel, message: string, fields: Json): void
  /** The plugin has ended, and all that it started here. Repeatable. */
  end(): void
}

/** Of one call. */
export interface CallControl {
  /** Aborts: the call's time is over, or it is not wanted. It rejects at once, and what comes late is ignored. */
  readonly signal: AbortSignal
  /** Must not throw. */
  readonly onProgress?: (progress: ProgressData) => void
}

/** One of a row of calls. */
export interface ControlledCall {
  readonly call: PluginCall
  readonly control: CallControl
}

/** Loaded when it is made; `start` makes it work. */
export interface PluginInstance {
  readonly manifest: PluginManifest
  /** Resolves with the reason when it ended without being stopped; never rejects. */
  readonly lost: Promise<string>
  /** What is wrong with these settings, in one line; null: nothing. Rejects with a PluginError. */
  check(settings: Json): Promise<string | null>
  /** Once. Rejects with a PluginError that says what the plugin threw, or that it took too long. */
  start(start: PluginStart): Promise<void>
  /** Rejects with a PluginError. Nothing is called twice. */
  call(call: PluginCall, control: CallControl): Promise<Json>
  /** As `call`, one after another: each begins when the one before has ended or was given up, unless it was, too. */
  callInOrder(calls: readonly ControlledCall[]): readonly Promise<Json>[]
  /** Calls that are under way reject. Repeatable; never rejects; at most a few seconds. */
  stop(): Promise<void>
}

/**
 * THREW: the plugin's own error. LATE: not within its time. LOST: the plugin ended meanwhile; what the call did is not
 * known. NOT_CALLED: nothing has happened. WRONG: it answered what the hook does not take. ENDED: the caller gave up.
 */
export type PluginFailure = 'THREW' | 'LATE' | 'LOST' | 'NOT_CALLED' | 'WRONG' | 'ENDED'

/** Why a call has no answer; the message is for people. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly kind: PluginFailure

  constructor(kind: PluginFailure, message: string) {
    super(message)
    this.kind = kind
  }
}
