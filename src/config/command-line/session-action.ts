/** `factotum session …` as words → what to do with a session (src/transfer/session-command.ts does it). Pure. */
import { isSessionId, SESSION_ID_RULE } from '../../core/session-id.ts'
import { idKind } from '../../platform/id.ts'
import { didYouMean } from '../closest.ts'

export type SessionAction =
  /** `file` null: to standard output. */
  | { readonly do: 'export'; readonly sessionId: string; readonly file: string | null }
  /** `file` null: from standard input. `as` null: under the id it had. */
  | { readonly do: 'import'; readonly file: string | null; readonly as: string | null }

export interface SessionFlags {
  readonly out?: string | undefined
  readonly as?: string | undefined
}

/** Which options each command takes besides --home. */
const TAKES: Readonly<Record<SessionAction['do'], readonly (keyof SessionFlags)[]>> = {
  export: ['out'],
  import: ['as'],
}

/** `words` after "session". The action, or a sentence that says what is wrong. */
export function parseSessionAction(words: readonly string[], flags: SessionFlags): SessionAction | string {
  const [command, argument, surplus] = words
  if (command === undefined) return '"factotum session" needs one of: export, import.'
  if (command !== 'export' && command !== 'import')
    return `There is no command "session ${command}"${didYouMean(command, Object.keys(TAKES))}.`
  if (surplus !== undefined) return `"${surplus}" is one word too many.`
  const wrong = Object.keys(flags).find((flag) => !TAKES[command].some((taken) => taken === flag))
  if (wrong !== undefined) return `"factotum session ${command}" takes no option --${wrong}.`
  const { out: file = null, as = null } = flags
  if (command === 'export') {
    if (argument === undefined) return '"factotum session export" needs the id of a session.'
    return isSessionId(argument) ? { do: 'export', sessionId: argument, file } : `A session id ${SESSION_ID_RULE}.`
  }
  if (argument === undefined) return '"factotum session import" needs a file, or - for standard input.'
  if (as !== null && (!isSessionId(as) || idKind(as) !== null))
    return `--as must be an id for the session, such as "web:copy": it ${SESSION_ID_RULE}.`
  return { do: 'import', file: argument === '-' ? null : argument, as }
}
