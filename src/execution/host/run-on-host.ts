/**
 * One command on one host, as its caller is to see it: with an outcome also when the host hangs or dies, as far as that
 * can be known, and at rest before a failure of the caller is passed on.
 */
import { AppError } from '../../core/errors.ts'
import type { OutputStream } from '../../core/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KillCause } from './command-process.ts'
import type { CommandRequest, HostOutcome } from './host-messages.ts'
import { unexpected, type HostProcess } from './host-process.ts'
import type { OnOutput } from '../output/output-capture.ts'

interface RunOnHostOptions {
  readonly id: number
  readonly request: CommandRequest
  readonly onOutput: OnOutput
  readonly signal: AbortSignal
  readonly clock: Clock
  /** How long an answer may take beyond the command's own limit. */
  readonly beyondTimeoutMs: number
}

/**
 * Rejects with COMMAND_NOT_STARTED or WORKSPACE_UNUSABLE when nothing ran, with COMMAND_LOST when it is unknown what
 * did, and with what `onOutput` throws, when the command has been ended for that.
 */
export async function runOnHost(host: HostProcess, options: RunOnHostOptions): Promise<HostOutcome> {
  const { id, request, onOutput, signal, clock, beyondTimeoutMs } = options
  const cancel = (): void => host.cancel(id)
  const printed = new Printed(onOutput, cancel)
  const askedAtMs = clock.monotonicMs()
  const limitMs = request.timeoutMs + beyondTimeoutMs
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answer = await host.ask(
      { type: 'RUN', id, request },
      { limitMs, onOutput: (...piece) => printed.add(...piece) },
    )
    printed.check()
    return answer.type === 'OUTCOME' ? answer.outcome : unexpected(answer)
  } catch (error) {
    printed.check()
    // It was ended with its host, and would have been ended by now in any case.
    const isOverdue = clock.monotonicMs() - askedAtMs >= request.timeoutMs
    if (isLost(error) && signal.aborted) return printed.killed('cancelled')
    if (isLost(error) && isOverdue) return printed.killed('timeout')
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function isLost(error: unknown): boolean {
  return error instanceof AppError && error.code === 'COMMAND_LOST'
}

/** What came of a command's output, for the case that its host does not live to tell. */
class Printed {
  readonly #onOutput: OnOutput
  readonly #onFailure: () => void
  readonly #texts: Record<OutputStream, string> = { STDOUT: '', STDERR: '' }
  #failure: { readonly error: unknown } | null = null

  constructor(onOutput: OnOutput, onFailure: () => void) {
    this.#onOutput = onOutput
    this.#onFailure = onFailure
  }

  add(stream: OutputStream, text: string): void {
    if (this.#failure !== null) return
    this.#texts[stream] += text
    try {
      this.#onOutput(stream, text)
    } catch (error) {
      this.#failure = { error }
      this.#onFailure()
    }
  }

  /** Throws what the caller threw at a piece of output. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error
  }

  killed(cause: KillCause): HostOutcome {
    return { kind: 'killed', cause, stdout: this.#texts.STDOUT, stderr: this.#texts.STDERR, truncated: false }
  }
}
