/** Providers that refuse a form of request, in their words; the next form is what they take. */

/** Whose words they are, and what the request must then be. */
export interface RefusedForm {
  readonly provider: string
  readonly what: string
  readonly status: number
  readonly message: string
  readonly refuses: (body: Readonly<Record<string, unknown>>) => boolean
  /** Which fields the request has that was taken. */
  readonly takes: Readonly<Record<string, unknown>>
}

type Body = Readonly<Record<string, unknown>>
const format = (body: Body): unknown => (body['response_format'] as { type?: unknown } | undefined)?.type
const firstRole = (body: Body): unknown => (body['messages'] as readonly { role?: unknown }[])[0]?.role

export const FORMS: readonly RefusedForm[] = [
  {
    provider: 'DeepSeek',
    what: 'json_schema',
    status: 400,
    message: 'This response_format type is unavailable now',
    refuses: (body) => format(body) === 'json_schema',
    takes: { response_format: { type: 'json_object' } },
  },
  {
    provider: 'Groq',
    what: 'json_schema',
    status: 400,
    message: 'This model does not support response format `json_schema`.',
    refuses: (body) => format(body) === 'json_schema',
    takes: { response_format: { type: 'json_object' } },
  },
  {
    provider: 'Anthropic',
    what: 'any response_format',
    status: 400,
    message: 'response_format: Extra inputs are not permitted',
    refuses: (body) => body['response_format'] !== undefined,
    takes: { tool_choice: { type: 'function', function: { name: 'plan' } } },
  },
  {
    provider: 'LM Studio',
    what: 'json_object',
    status: 400,
    message: "'response_format.type' must be 'json_schema' or 'text'",
    refuses: (body) => body['response_format'] !== undefined,
    takes: { tool_choice: { type: 'function', function: { name: 'plan' } } },
  },
  {
    provider: 'Ollama',
    what: 'tools, too',
    status: 400,
    message: 'invalid JSON schema in response_format; the model does not support tools',
    refuses: (body) => body['response_format'] !== undefined || body['tools'] !== undefined,
    takes: { stream: true },
  },
  {
    provider: 'Mistral',
    what: 'stream_options',
    status: 422,
    message: 'Extra inputs are not permitted: body.stream_options',
    refuses: (body) => body['stream_options'] !== undefined,
    takes: { stream: true },
  },
  {
    provider: 'OpenAI',
    what: 'a stream',
    status: 400,
    message: "Unsupported value: 'stream' does not support true with this model.",
    refuses: (body) => body['stream'] === true,
    takes: { stream: false },
  },
  {
    provider: 'Gemma',
    what: 'a system message',
    status: 400,
    message: 'System role not supported',
    refuses: (body) => firstRole(body) === 'system',
    takes: { messages: [{ role: 'user' }] },
  },
  {
    provider: 'Gemini',
    what: 'a keyword of the schema',
    status: 400,
    message: `Invalid JSON payload received. Unknown name "additionalProperties" at 'generation_config.response_schema': Cannot find field.`,
    refuses: (body) => format(body) === 'json_schema',
    takes: { response_format: { type: 'json_object' } },
  },
  {
    provider: 'Gemini',
    what: 'a schema that is too large',
    status: 400,
    message: 'The specified schema produces a constraint that has too many states for serving.',
    refuses: (body) => format(body) === 'json_schema',
    takes: { response_format: { type: 'json_object' } },
  },
  {
    provider: 'Azure OpenAI',
    what: 'stream_options, in older versions',
    status: 400,
    message: 'Unrecognized request argument supplied: stream_options',
    refuses: (body) => body['stream_options'] !== undefined,
    takes: { stream: true },
  },
]
