/** What the zod schema found wrong with config.toml, as problems; for an unknown key also what was probably meant. */
import * as z from 'zod'
import type { FoundProblem } from './config-problem.ts'
import { didYouMean } from '../platform/closest.ts'
import { fileSchema } from './schema/schema.ts'

/** What the schema found, as problems: usually one, but one for each unknown key. */
export function toProblems(issue: z.core.$ZodIssue): readonly FoundProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: describeUnknownKey(key, path) }))
  }
  if (issue.code === 'invalid_key') {
    return [{ path, text: `as a name ${issue.issues[0]?.message ?? issue.message}` }]
  }
  return [{ path, text: issue.message }]
}

/** The error for `key`, which stands at `path` (empty: outside of all sections). */
function describeUnknownKey(key: string, path: readonly string[]): string {
  const file = fileSchema(false)
  if (path.length === 0 && keysAt(file, ['settings']).includes(key)) {
    return 'is a setting; it must stand below the line [settings]'
  }
  const known = keysAt(file, path)
  const suggestion = didYouMean(key, known)
  return suggestion === '' ? `is not a known key; known here: ${known.join(', ')}` : `is not a known key${suggestion}`
}

/** The keys that may stand at `path`, by the schema itself, so that none is forgotten. */
function keysAt(schema: z.core.$ZodType, path: readonly string[]): readonly string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return keysAt(schema.unwrap(), path)
  }
  const [next, ...rest] = path
  if (schema instanceof z.ZodObject) {
    const shape: z.core.$ZodShape = schema.shape
    const inner = next === undefined ? undefined : shape[next]
    return next === undefined ? Object.keys(shape) : inner === undefined ? [] : keysAt(inner, rest)
  }
  if (next === undefined) return []
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest)
  return schema instanceof z.ZodArray ? keysAt(schema.element, rest) : []
}
