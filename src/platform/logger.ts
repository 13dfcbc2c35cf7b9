/**
 * Structured logs (pino, JSON lines; pretty on a terminal). Field names used everywhere: requestId, sessionId, turnId,
 * taskId; JSON lines of a server also say which process wrote them: pid, version, node.
 */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'
import { LogLines } from './log-lines.ts'

export type { Logger } from 'pino'

export interface LogSettings {
  readonly level: string
  /** Human-readable lines instead of JSON. */
  readonly pretty: boolean
  /** What the lines go through; by default they are written as they are. */
  readonly lines?: LogLines
  /** Stands in each line of JSON: a terminal shows one process. */
  readonly process?: { readonly pid: number; readonly version: string }
  /** Instead of stdout; the lines are JSON then. */
  readonly to?: DestinationStream
}

/** Values under these keys never reach a log line, whatever is logged. */
const REDACTED_PATHS = [
  'authorization',
  '*.authorization',
  'token',
  '*.token',
  'apiKey',
  '*.apiKey',
  'password',
  '*.password',
]

export function createLogger(settings: LogSettings): Logger {
  const { lines = new LogLines() } = settings
  const options: LoggerOptions = {
    level: settings.level,
    redact: { paths: REDACTED_PATHS, censor: '[REDACTED]' },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line) => lines.write(line) },
  }
  if (settings.to === undefined && settings.pretty)
    return pino(options, pretty({ colorize: true, translateTime: 'HH:MM:ss.l' }))
  const json: LoggerOptions = {
    ...options,
    base: settings.process ?? null,
    mixin: () => (lines.node === null ? {} : { node: lines.node }),
  }
  return settings.to === undefined ? pino(json) : pino(json, settings.to)
}
