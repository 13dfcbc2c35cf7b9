/** What the messenger answers: free text. It is the message to the user exactly as it streamed. */
import type { AnswerFormat } from '../answer-format.ts'

export const MESSAGE_FORMAT: AnswerFormat<string> = { schema: null, parse: (text) => ({ kind: 'usable', value: text }) }
