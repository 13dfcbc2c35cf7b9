/** `factotum audit …` as words → what to do with the audit (src/audit/audit-command.ts does it). Pure. */
import { didYouMean } from '../closest.ts'

export interface AuditAction {
  readonly do: 'verify'
  /** UTC, such as "2026-11-21"; null: all days. */
  readonly day: string | null
}

export interface AuditFlags {
  readonly day?: string | undefined
}

/** `words` after "audit". The action, or a sentence that says what is wrong. */
export function parseAuditAction(words: readonly string[], flags: AuditFlags): AuditAction | string {
  const [command, surplus] = words
  if (command === undefined) return '"factotum audit" needs a command: verify.'
  if (command !== 'verify') return `There is no command "audit ${command}"${didYouMean(command, ['verify'])}.`
  if (surplus !== undefined) return `"${surplus}" is one word too many.`
  const wrong = Object.keys(flags).find((flag) => flag !== 'day')
  if (wrong !== undefined) return `"factotum audit verify" takes no option --${wrong}.`
  const { day = null } = flags
  if (day !== null && !isDay(day)) return `--day must be a day such as 2026-11-21; it is "${day}".`
  return { do: 'verify', day }
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
