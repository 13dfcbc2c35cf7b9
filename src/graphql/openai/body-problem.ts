/** What zod finds wrong with a body, as a sentence for who wrote the client. */
import type * as z from 'zod'

export interface BodyProblem {
  /** Where it stands, as OpenAI's errors name it; null: it is the body itself. */
  readonly param: string | null
  readonly sentence: string
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
  number: 'a number',
}

/** `at`: where the body stands that was parsed, if it is part of another. */
export function bodyProblem(issue: Issue, body: unknown, at: Path = []): BodyProblem {
  const { path, wanted } = innermost(issue)
  const param = [...at, ...path].map(String).join('.')
  const found = valueAt(body, path)
  const name = param === '' ? 'The body' : param
  const tail = found === undefined ? `is missing; it must be ${wanted}` : `must be ${wanted}, not ${kindOf(found)}`
  const sentence = wanted === null ? `${name}: ${limitOf(issue)}.` : `${name}: ${tail}.`
  return { param: param === '' ? null : param, sentence }
}

/** Of alternatives the one that fits furthest; where none does, all that may stand there. `wanted` null: no type. */
function innermost(issue: Issue): { readonly path: Path; readonly wanted: string | null } {
  if (issue.code === 'invalid_type') return { path: issue.path, wanted: KINDS[issue.expected] ?? issue.expected }
  if (issue.code !== 'invalid_union') return { path: issue.path, wanted: null }
  const branches = issue.errors.flatMap(([first]) => (first === undefined ? [] : innermost(first)))
  const deepest = branches.toSorted((one, other) => other.path.length - one.path.length)[0]
  if (deepest !== undefined && deepest.path.length > 0)
    return { path: [...issue.path, ...deepest.path], wanted: deepest.wanted }
  return { path: issue.path, wanted: branches.flatMap(({ wanted }) => wanted ?? []).join(' or ') }
}

function limitOf(issue: Issue): string {
  if (issue.code === 'too_small') return 'must not be empty'
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} characters`
  return issue.message
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], body)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return KINDS[Array.isArray(value) ? 'array' : typeof value] ?? typeof value
}
