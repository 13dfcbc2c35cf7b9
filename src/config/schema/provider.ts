/** `[providers.<name>]`: where a provider is, and in what its requests differ from what most take. */
import * as z from 'zod'
import type { ProviderConfig, RequestSettings } from '../config.ts'
import { isVariableName, says, seconds, text, trueOrFalse, wholeNumber } from '../field.ts'

const hidden = { hidden: true }
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** What the server itself writes into each request. */
const OWN_FIELDS = ['model', 'messages', 'input', 'instructions', 'stream', 'tools', 'response_format']

const headerName = text('must be the name of a header, such as "api-key"', (value) => HEADER.test(value))
const headerValue = text(
  'must be 1 to 4096 visible ASCII characters or spaces',
  (value) => /^[\x20-\x7e]{1,4096}$/.test(value),
  hidden,
)
const queryValue = text('must be 1 to 1024 characters', (value) => value !== '' && value.length <= 1024, hidden)
const tableRule = (what: string): string => `must be a table, such as ${what}`
const extraRule = `must be a table of fields for the body of each request, and none of ${OWN_FIELDS.join(', ')}`

export const providerSchema = z.strictObject(
  {
    base_url: text(
      'must be an http or https address such as "https://openrouter.ai/api/v1", without "/chat/completions" or a key',
      isBaseUrl,
      hidden,
    ).meta({ description: 'Where the OpenAI-compatible endpoint is, up to and including "/v1".' }),
    api_key_env: text(
      'must be the NAME of the environment variable that holds the key, such as "OPENROUTER_API_KEY"; the key itself ' +
        'belongs into the environment or into the file .env beside config.toml',
      isVariableName,
      hidden,
    )
      .optional()
      .meta({
        description: 'The name of the environment variable (or line of .env) with the key. Leave out if it needs none.',
      }),
    api_key_header: headerName.optional().meta({
      description: 'The header that carries the key, instead of "Authorization: Bearer"; "api-key" for Azure.',
    }),
    api: z
      .enum(['chat', 'responses'], says('must be "chat" or "responses"'))
      .default('chat')
      .meta({
        description:
          'How chat sessions talk with it: "chat" sends the conversation each time (Chat Completions), "responses" lets ' +
          'the provider keep it (Responses API).',
      }),
    headers: z
      .record(headerName, headerValue, says(tableRule('{ "X-Title" = "Factotum" }'), hidden))
      .default({})
      .meta({
        description: 'Further headers of each request. No place for a key: all who can read the file can use it.',
      }),
    query: z
      .record(z.string(), queryValue, says(tableRule('{ "api-version" = "2025-01-01-preview" }'), hidden))
      .default({})
      .meta({ description: 'What is added to the address of each request after "?".' }),
    extra_body: z
      .record(z.string(), z.unknown(), says(extraRule))
      .refine((value) => !Object.keys(value).some((key) => OWN_FIELDS.includes(key)), says(extraRule))
      .default({})
      .meta({ description: 'Further fields of the body of each request, such as { temperature = 0.2 }.' }),
    timeout: seconds({ min: 1, max: 86_400 }).optional().meta({
      description: 'Seconds of silence after which a call is given up. Default: llm_idle_timeout.',
    }),
    structured_output: z
      .enum(
        ['json_schema', 'json_object', 'tool', 'prompt'],
        says('must be "json_schema", "json_object", "tool" or "prompt"'),
      )
      .optional()
      .meta({
        description:
          'How plans and reviews are asked for: by a strict schema, as any JSON, as the arguments of a tool, or in words ' +
          'alone. Default: the first of these that the provider does not refuse, found out once and kept in the database.',
      }),
    stream: trueOrFalse().optional().meta({
      description: 'false: answers are asked for whole. Default: streamed, unless the provider refuses that.',
    }),
    system_role: z
      .enum(['system', 'developer', 'user'], says('must be "system", "developer" or "user"'))
      .optional()
      .meta({
        description:
          'The role of the message with the instructions; "user": they begin the first message of the user. ' +
          'Default: "system", and "user" where that is refused.',
      }),
    max_tokens: wholeNumber({ min: 1, max: 10_000_000 }).optional().meta({
      description: 'Tokens that an answer may have. Default: as the provider likes.',
    }),
    max_tokens_field: z
      .enum(['max_tokens', 'max_completion_tokens'], says('must be "max_tokens" or "max_completion_tokens"'))
      .optional()
      .meta({ description: 'The name under which max_tokens is sent. Default: the one that is not refused.' }),
  },
  says('must be a section [providers.<name>]'),
)

/** A checked section as the code reads it. */
export function toProvider(section: z.output<typeof providerSchema>, name: string): ProviderConfig {
  const request: RequestSettings = {
    headers: section.headers,
    query: section.query,
    apiKeyHeader: section.api_key_header ?? null,
    extraBody: section.extra_body,
    idleTimeoutMs: section.timeout === undefined ? null : section.timeout * 1000,
    structuredOutput: section.structured_output ?? null,
    streams: section.stream ?? null,
    systemRole: section.system_role ?? null,
    maxTokens: section.max_tokens ?? null,
    maxTokensField: section.max_tokens_field ?? null,
  }
  return { name, baseUrl: section.base_url, apiKeyEnv: section.api_key_env ?? null, api: section.api, request }
}

function isBaseUrl(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return bare && !/\/chat\/completions\/?$/.test(url.pathname)
}
