/** Puts a question in the form that its provider takes: the body of the request, and the answer out of it. */
import OpenAI from 'openai'
import type { RequestSettings } from '../../config/config.ts'
import type { ChatAnswer } from '../chat-answer.ts'
import { AnsweredError } from '../answered-error.ts'
import { complaintOf } from '../complaint.ts'
import type { FormMemory, ModelKey } from './form-memory.ts'
import { shapeAfter, shapeOf, type RequestShape } from './request-shape.ts'

/** The strict JSON schema that an answer must satisfy. */
export interface AnswerSchema {
  readonly name: string
  readonly json: Readonly<Record<string, unknown>>
}

interface ShapedCall<Result> {
  readonly memory: FormMemory
  readonly key: ModelKey
  readonly settings: RequestSettings
  readonly wantsSchema: boolean
  /** Makes one request. Nothing of an answer may have been passed on when it rejects with a refusal. */
  readonly send: (shape: RequestShape) => Promise<Result>
}

/**
 * Sends in the form that is known to be taken, and in the next one when that is refused. Rejects with the first
 * refusal when no form is taken: it is about the form that people know.
 */
export async function sendShaped<Result>(call: ShapedCall<Result>): Promise<Result> {
  const { memory, key, settings, wantsSchema, send } = call
  const known = shapeOf((await memory.formOf(key)).shape, settings)
  let shape = known
  let first: unknown = null
  for (;;) {
    try {
      const result = await send(shape)
      if (first !== null) await memory.remember(key, { from: known, to: shape })
      return result
    } catch (error) {
      first ??= error
      const complaint = refusalOf(error)
      const next = complaint === null ? null : shapeAfter(complaint, { shape, settings, wantsSchema })
      // What is said about a later form, a key that is wrong say, is as good as what is said about the first.
      if (next === null) throw complaint !== null && isAboutForm(complaint) ? first : error
      shape = next
    }
  }
}

function isAboutForm({ status }: { readonly status: number | null }): boolean {
  return status === 400 || status === 404 || status === 422
}

function refusalOf(error: unknown): ReturnType<typeof complaintOf> | null {
  if (error instanceof AnsweredError) return complaintOf(null, error.body)
  if (!(error instanceof OpenAI.APIError) || typeof error.status !== 'number') return null
  return complaintOf(error.status, error.error ?? error.message)
}

/** The fields of the body that depend on the form alone. */
export function commonFields(
  shape: RequestShape,
  settings: RequestSettings,
): Pick<OpenAI.ChatCompletionCreateParams, 'stream' | 'stream_options'> {
  return {
    stream: shape.streams,
    ...(shape.streams && shape.asksUsage ? { stream_options: { include_usage: true } } : {}),
    ...(settings.maxTokens === null ? {} : { [shape.maxTokensField]: settings.maxTokens }),
    ...settings.extraBody,
  }
}

/** The instructions, and what is said first. */
export function withInstructions(
  system: string,
  said: readonly OpenAI.ChatCompletionMessageParam[],
  { systemRole }: RequestShape,
): OpenAI.ChatCompletionMessageParam[] {
  if (systemRole !== 'user') return [{ role: systemRole, content: system }, ...said]
  const [first, ...rest] = said
  if (first?.role === 'user' && typeof first.content === 'string')
    return [{ role: 'user', content: `${system}\n\n${first.content}` }, ...rest]
  return [{ role: 'user', content: system }, ...said]
}

/** How the schema is asked for: fields of the body, and what is added to the instructions. */
export function askForSchema(
  schema: AnswerSchema,
  { structuredOutput }: Pick<RequestShape, 'structuredOutput'>,
): { readonly fields: Partial<OpenAI.ChatCompletionCreateParams>; readonly instruction: string } {
  const { name, json } = schema
  const inWords = `\n\n# The form of the answer\n\nAnswer with one JSON object and nothing else. It must satisfy this JSON schema:\n\n${JSON.stringify(json)}`
  switch (structuredOutput) {
    case 'json_schema':
      return {
        fields: { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: { ...json } } } },
        instruction: '',
      }
    case 'json_object':
      return { fields: { response_format: { type: 'json_object' } }, instruction: inWords }
    case 'tool':
      return {
        fields: {
          tools: [{ type: 'function', function: { name, description: 'Takes the answer.', parameters: { ...json } } }],
          tool_choice: { type: 'function', function: { name } },
        },
        instruction: `\n\nAnswer by calling the tool "${name}" once.`,
      }
    case 'prompt':
      return { fields: {}, instruction: inWords }
    default:
      return structuredOutput satisfies never
  }
}

/** An answer that came as the arguments of a tool, as a text; one that came as a text is left as it is. */
export function textOfToolAnswer(answer: ChatAnswer, schema: AnswerSchema): ChatAnswer {
  const call = answer.calls.find(({ name }) => name === schema.name)
  return call === undefined ? answer : { ...answer, text: call.written, calls: [] }
}
