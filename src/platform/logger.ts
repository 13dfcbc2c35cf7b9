/**
 * Structured logs (pino, JSON lines; pretty on a terminal). Field names used everywhere: requestId, sessionId, turnId,
 * taskId; JSON lines of a server also say which process wrote them: pid, version, node; and, if there is a collector,
 * where they stand in a trace: trace_id, span_id.
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
  /** JSON lines below "warn" are written some at a time (`BatchedLines`). */
  readonly batched?: boolean
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
    hooks: { streamWrite: (line) => withoutControls(lines.write(line), settings.pretty) },
  }
  if (settings.to === undefined && settings.pretty)
    return pino(options, pretty({ colorize: true, translateTime: 'HH:MM:ss.l' }))
  const json: LoggerOptions = {
    ...options,
    base: settings.process ?? null,
    mixin: () => lines.origin(),
  }
  if (settings.to !== undefined) return pino(json, settings.to)
  return settings.batched === true ? pino(json, new BatchedLines()) : pino(json)
}

/** What terminals obey, and JSON does not escape: C1 controls, and what turns the direction of text. */
const RAW_CONTROLS = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
/** Escaped in JSON, all but ends of lines and tabs; and a backslash, which begins no other escape. */
const ESCAPED_CONTROLS = /\\(?:[\\bfr]|u00[01][0-9a-f])/g

/**
 * A line of JSON whose texts, of which callers, providers and programs have written some, change nothing on the
 * terminal of who reads it. `pretty`: they are shown without their escapes.
 */
function withoutControls(line: string, isPretty: boolean): string {
  const clean = line.replace(RAW_CONTROLS, '\ufffd')
  return isPretty ? clean.replace(ESCAPED_CONTROLS, (found) => (found === '\\\\' ? found : '\ufffd')) : clean
}

const WARN = 40
const MAX_BATCH_CHARS = 8 * 1024
const MAX_BATCH_MS = 20

/**
 * Stdout, written to some lines at a time: a write for each of a turn's lines costs as much as making them. What must
 * hold: "warn" and above is written at once, with all lines before it, and so is everything when the process ends; one
 * that is killed loses the lines of its last 20 ms at most.
 */
export class BatchedLines implements DestinationStream {
  /** Set by pino before each line. */
  lastLevel = 0
  readonly #out: ReturnType<typeof pino.destination>
  #batch = ''
  #timer: NodeJS.Timeout | null = null

  /** `fd`: of what is written to. */
  constructor(fd = 1) {
    this.#out = pino.destination({ dest: fd, sync: true })
    // Asks pino for `lastLevel`.
    Object.assign(this, { [Symbol.for('pino.metadata')]: true })
    process.once('exit', () => this.flushSync())
  }

  write(line: string): void {
    this.#batch += line
    if (this.lastLevel >= WARN || this.#batch.length >= MAX_BATCH_CHARS) this.flushSync()
    else this.#timer ??= setTimeout(() => this.flushSync(), MAX_BATCH_MS).unref()
  }

  /**
   * Also called by pino, behind a line of level "fatal". Writes, and no more: to have the disk confirm it (`flushSync`
   * of what pino writes through) holds up all turns.
   */
  flushSync(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const batch = this.#batch
    this.#batch = ''
    if (batch !== '') this.#out.write(batch)
  }
}
