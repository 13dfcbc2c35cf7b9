/**
 * What shape an agent's answer has: the strict JSON schema that the provider is given, and how its text becomes a
 * value. A model's text is hostile input: it is bounded in size and depth before it is parsed, and only what the zod
 * schema names reaches the value. Code fences and prose around the JSON object are forgiven, since many models write
 * them all the same.
 */
import * as z from 'zod'

export type Parsed<T> = { readonly kind: 'usable'; readonly value: T } | Rejected

export interface Rejected {
  /** unusable: not the asked-for JSON. incomplete: it is, but something is missing that a schema cannot demand. */
  readonly kind: 'unusable' | 'incomplete'
  /** A sentence for the model. */
  readonly problem: string
}

export interface AnswerFormat<T> {
  /** null: free text. */
  readonly schema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> } | null
  /** Never throws. */
  readonly parse: (text: string) => Parsed<T>
}

export const MAX_ANSWER_CHARS = 256 * 1024
const MAX_DEPTH = 16
const MAX_ISSUES = 5
const MAX_PROBLEM_CHARS = 1000

/** JSON that satisfies `schema`. */
export function jsonFormat<Output>(name: string, schema: z.ZodType<Output>): AnswerFormat<Output> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { override: dropDefault })
  return {
    schema: { name, json },
    parse: (text) => {
      const found = findJsonObject(text)
      if (found.kind !== 'usable') return found
      const parsed = schema.safeParse(found.value)
      return parsed.success ? usable(parsed.data) : unusable(describeIssues(parsed.error))
    },
  }
}

/**
 * `format`, with what it reads made into a value by `toValue`: rules that no schema can express, and labels into ids.
 */
export function withValue<Output, T>(
  format: AnswerFormat<Output>,
  toValue: (output: Output) => Parsed<T>,
): AnswerFormat<T> {
  return {
    schema: format.schema,
    parse: (text) => {
      const parsed = format.parse(text)
      return parsed.kind === 'usable' ? toValue(parsed.value) : parsed
    },
  }
}

/** A field that the schema demands, as strict mode wants it, and that a model may leave out all the same. */
export function orNull<Output>(schema: z.ZodType<Output>): z.ZodDefault<z.ZodNullable<z.ZodType<Output>>> {
  return schema.nullable().default(null)
}

function dropDefault({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.default
}

export function usable<T>(value: T): Parsed<T> {
  return { kind: 'usable', value }
}

export function incomplete(problem: string): Rejected {
  return { kind: 'incomplete', problem: problem.slice(0, MAX_PROBLEM_CHARS).toWellFormed() }
}

export function unusable(problem: string): Rejected {
  return { kind: 'unusable', problem: problem.slice(0, MAX_PROBLEM_CHARS).toWellFormed() }
}

/** Not every brace in prose: a command that is quoted before the answer may hold `${HOME}` or `{}`. */
const OBJECT_BEGINS = /\{\s*"/

/** The first JSON object in `text`. */
export function findJsonObject(text: string): Parsed<unknown> {
  if (text.length > MAX_ANSWER_CHARS) {
    return unusable(`The answer is ${text.length} characters long; at most ${MAX_ANSWER_CHARS} are read.`)
  }
  const likely = text.search(OBJECT_BEGINS)
  // Without one the model is told what is wrong with what there is.
  const start = likely === -1 ? text.indexOf('{') : likely
  if (start === -1) return unusable('The answer contains no JSON object.')
  const end = findEnd(text, start)
  if (typeof end === 'string') return unusable(end)
  try {
    return { kind: 'usable', value: JSON.parse(text.slice(start, end)) }
  } catch (error) {
    return unusable(
      `The JSON cannot be parsed: ${error instanceof Error ? withoutQuote(error.message) : 'unknown reason'}.`,
    )
  }
}

/**
 * The engine quotes the text around the error, which may hold a piece of a secret that redaction does not know yet; the
 * message is logged.
 */
function withoutQuote(message: string): string {
  return message.replace(/, (?:\.{3})?".*is not valid JSON$/s, ' is not valid there')
}

/** Where the object that begins at `start` ends, or what is wrong. Brackets need not match: JSON.parse sees to that. */
function findEnd(text: string, start: number): number | string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = findStringEnd(text, at)
        break
      case '{':
      case '[':
        if (++depth > MAX_DEPTH) return `The JSON is nested more than ${MAX_DEPTH} levels deep.`
        break
      case '}':
      case ']':
        if (--depth === 0) return at + 1
        break
      default:
    }
  }
  return 'The JSON object is not complete: the answer ends before its closing brace.'
}

/** The position of the quote that closes the string which begins at `start`, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

function describeIssues(error: z.ZodError): string {
  const lines = error.issues.slice(0, MAX_ISSUES).map((issue) => `${pathOf(issue.path)}: ${issue.message}`)
  const more = error.issues.length - lines.length
  return `The JSON is not of the asked-for shape. ${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'The whole' : path.map(String).join('.')
}
