/** Providers that refuse how a conversation with tools goes on, in their words; the next form is what they take. */

/** Whose words they are, and what must then be sent. */
export interface RefusedRound {
  readonly provider: string
  readonly what: string
  readonly status: number
  readonly message: string
  readonly refuses: (sent: readonly SentMessage[]) => boolean
}

/** A message as Chat Completions have it. */
export interface SentMessage {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly extra_content?: { readonly google?: { readonly thought_signature?: string } }
  }[]
}

const answers = (sent: readonly SentMessage[]): readonly SentMessage[] =>
  sent.filter(({ role }) => role === 'assistant')
const isNine = (id: string): boolean => /^[a-zA-Z0-9]{9}$/.test(id)
const hasOtherIds = (sent: readonly SentMessage[]): boolean =>
  sent.some(
    ({ tool_call_id: answered, tool_calls: calls = [] }) =>
      calls.some(({ id }) => !isNine(id)) || (answered !== undefined && !isNine(answered)),
  )

export const ROUNDS: readonly RefusedRound[] = [
  {
    provider: 'Gemini',
    what: 'a call without the signature of its thought',
    status: 400,
    message: 'Function call is missing a thought_signature in functionCall parts.',
    refuses: (sent) =>
      answers(sent).some(
        ({ tool_calls: [first] = [] }) =>
          first !== undefined && first.extra_content?.google?.thought_signature === undefined,
      ),
  },
  {
    provider: 'DeepSeek',
    what: 'an answer of its own without its reasoning',
    status: 400,
    message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    refuses: (sent) => answers(sent).some(({ reasoning_content: thought }) => thought === undefined),
  },
  {
    provider: 'Moonshot',
    what: 'a call without its reasoning, or with an empty one',
    status: 400,
    message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    refuses: (sent) => answers(sent).some(({ reasoning_content: thought = '' }) => thought === ''),
  },
  {
    provider: 'Mistral',
    what: 'ids of calls that others made',
    status: 400,
    message: 'Tool call id was call_a but must be a-z, A-Z, 0-9, with a length of 9.',
    refuses: hasOtherIds,
  },
  {
    provider: 'mlx-lm',
    what: 'ids of calls that it made itself',
    status: 404,
    message: 'Tool call IDs should be alphanumeric strings with length 9!',
    refuses: hasOtherIds,
  },
  {
    provider: 'Mistral',
    what: 'a message of the user behind the result of a tool',
    status: 400,
    message: "Unexpected role 'user' after role 'tool'",
    refuses: (sent) => sent.some(({ role }, at) => role === 'user' && sent[at - 1]?.role === 'tool'),
  },
]

/** Errors that a conversation with tools alone can meet, and words of what they become. */
export const NO_TOOLS: readonly Pick<RefusedRound, 'provider' | 'status' | 'message'>[] = [
  { provider: 'Ollama', status: 400, message: 'registry.ollama.ai/library/gemma3:4b does not support tools' },
  {
    provider: 'vLLM',
    status: 400,
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  },
  { provider: 'OpenRouter', status: 404, message: 'No endpoints found that support tool use.' },
  { provider: 'llama.cpp', status: 500, message: 'tools param requires --jinja flag' },
]
