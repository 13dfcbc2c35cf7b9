/**
 * What is kept of what a program printed, without secrets. Where the text was cut off at the limit, a secret that goes
 * on behind the cut is seen. Where a program that may hold secrets was ended, its last line may hold the beginning of a
 * secret: an unfinished one is left out, whatever it says.
 */
import type { CommandOutcome } from '../../execution/command.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import { finishedLength, MAX_UNFINISHED_CHARS } from './finished-length.ts'

/** As it is stored with its task. */
export interface PrintedText {
  readonly stdout: string
  readonly stderr: string
  /** An unfinished line was left out. */
  readonly isShortened: boolean
}

/** Never longer than what was printed, apart from the marks where secrets were. */
export function printedText(
  outcome: Extract<CommandOutcome, { readonly stdout: string }>,
  { redactor, mayHoldSecrets }: { readonly redactor: Redactor; readonly mayHoldSecrets: boolean },
): PrintedText {
  const { kind, stdout, stderr, beyond = { stdout: '', stderr: '' } } = outcome
  const brokeOff = kind === 'killed' && mayHoldSecrets
  const lengthOf = (text: string, cutOff: string): number =>
    brokeOff && cutOff === '' ? lengthOfLines(text) : text.length
  const kept = { stdout: lengthOf(stdout, beyond.stdout), stderr: lengthOf(stderr, beyond.stderr) }
  return {
    stdout: redactor.redact(stdout + beyond.stdout, { until: kept.stdout }),
    stderr: redactor.redact(stderr + beyond.stderr, { until: kept.stderr }),
    isShortened: kept.stdout < stdout.length || kept.stderr < stderr.length,
  }
}

function lengthOfLines(text: string): number {
  return Math.max(finishedLength(text, 'LINES'), text.length - MAX_UNFINISHED_CHARS)
}
