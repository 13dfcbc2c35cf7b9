/** What a server of tools may send at most. */
import { DEFAULT_COMMAND_LIMITS } from '../execution/command-limits.ts'

/** Of one message, as it comes; what is more ends the connection. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024
/** Of one answer, as it is kept: as much as of a command's output. The rest is cut off. */
export const MAX_ANSWER_BYTES = DEFAULT_COMMAND_LIMITS.outputBytes
/** Tools of one server that are offered; the rest is left out. */
export const MAX_TOOLS = 128
/** Pages of one list of tools that are read. */
export const MAX_PAGES = 20
/** Of a progress message. */
export const MAX_PROGRESS_CHARS = 300
