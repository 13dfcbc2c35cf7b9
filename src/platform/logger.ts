/** Structured logs (pino, JSON lines; pretty on a terminal). Field names used everywhere: requestId, sessionId, turnId, taskId. */
import { pino, type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'

export type { Logger } from 'pino'

export interface LogSettings {
  readonly level: string
  /** Human-readable lines instead of JSON. */
  readonly pretty: boolean
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
  const options: LoggerOptions = {
    level: settings.level,
    redact: { paths: REDACTED_PATHS, censor: '[REDACTED]' },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return settings.pretty ? pino(options, pretty({ colorize: true, translateTime: 'HH:MM:ss.l' })) : pino(options)
}
