/**
 * What people are told when the reason lies with those who run the server (the provider, the configuration, the
 * sandbox, the storage): one sentence and a reference under which administrators find the rest. Never an address, a
 * path or a key of the configuration.
 */
import type { AppError, AppErrorCode } from './errors.ts'

/** `reference`: stands in the log, and with it what happened; the id of the turn, where there is one. */
export function describeOperatorFailure(code: AppErrorCode, reference: string): string {
  return `${SENTENCES[code] ?? 'The server made an error while it worked on this'} (reference ${reference}).`
}

/** The same of an error. What a budget says is for people as it is. */
export function describeError({ code, message }: AppError, reference: string): string {
  return code === 'BUDGET_USED_UP' ? message : describeOperatorFailure(code, reference)
}

const SEE_TO_IT = 'an administrator has to see to it'
const NO_MODEL = `The language model cannot be used at the moment; ${SEE_TO_IT}`
const NOT_REACHED = 'The language model cannot be reached at the moment; try again later'
const NO_PROGRAMS = `Programs cannot be run here at the moment; ${SEE_TO_IT}`
const NO_STORAGE = 'The server cannot store anything at the moment; try again later'

const SENTENCES: Readonly<Partial<Record<AppErrorCode, string>>> = {
  CONFIG_INVALID: `The server is not set up rightly for this; ${SEE_TO_IT}`,
  DATABASE_UNAVAILABLE: NO_STORAGE,
  STORAGE_FULL: NO_STORAGE,
  SANDBOX_UNAVAILABLE: NO_PROGRAMS,
  COMMAND_NOT_STARTED: NO_PROGRAMS,
  WORKSPACE_UNUSABLE: `The server cannot store files at the moment; ${SEE_TO_IT}`,
  COMMAND_LOST: 'The program was broken off by an error of the server, and how far it came is not known',
  SKILL_REFUSED: `The skill is not set up completely; ${SEE_TO_IT}`,
  MODEL_UNAUTHORIZED: NO_MODEL,
  MODEL_UNKNOWN: NO_MODEL,
  MODEL_QUOTA: NO_MODEL,
  MODEL_NO_STRUCTURED_OUTPUT: NO_MODEL,
  MODEL_UNREACHABLE: NOT_REACHED,
  MODEL_OVERLOADED: NOT_REACHED,
  MODEL_SILENT: NOT_REACHED,
  MODEL_TRUNCATED: 'The answer of the language model became too long; ask for less at once',
  MODEL_REFUSED: 'The language model refused to answer; word the message differently',
  MODEL_BAD_OUTPUT: 'The language model gave no usable answer; try again',
  MODEL_BAD_REQUEST: `The language model does not accept the question; a shorter message may help, or ${SEE_TO_IT}`,
}
