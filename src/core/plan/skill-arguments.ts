/**
 * The arguments of a SKILL task: JSON text of the planner against the skill's schema. Used by the plan rules, and by
 * makePlan to store what the skill will get. Pure. What must hold: what is complete can be stored, and each problem
 * says what is right.
 */
import { isStorable } from '../../platform/well-formed.ts'
import { isDeeper } from '../tool/nesting.ts'
import type { SkillArgument, SkillArguments, SkillArgumentType, SkillArgumentValue, SkillSummary } from './skill.ts'

export type CompletedArguments =
  /** Every argument that the skill names, with its default where the planner gave none. */
  | { readonly kind: 'complete'; readonly args: SkillArguments }
  /** Each a clause, such as: the argument "query" is missing; it must be a text */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

export const MAX_ARGS_BYTES = 64 * 1024
export const MAX_ARGS_DEPTH = 5

/** `text` null or blank: no arguments were given. An argument that is null counts as not given. */
export function completeArguments(skill: SkillSummary, text: string | null): CompletedArguments {
  const given = readObject(text)
  if (typeof given === 'string') return { kind: 'wrong', problems: [given] }
  const problems = unknownProblems(skill, given)
  const args: [string, SkillArgumentValue][] = []
  for (const argument of skill.args) {
    const value = given.get(argument.name) ?? argument.default
    const problem = valueProblem(argument, value)
    if (problem !== null) problems.push(problem)
    else if (value !== null) args.push([argument.name, value as SkillArgumentValue])
  }
  if (problems.length > 0) return { kind: 'wrong', problems: problems.slice(0, MAX_PROBLEMS) }
  // fromEntries defines its keys, so that a key called __proto__ is a key like any other.
  return { kind: 'complete', args: Object.fromEntries(args) }
}

/** A thousand wrong arguments need no thousand clauses. */
const MAX_PROBLEMS = 10
const MAX_LISTED_NAMES = 5
const MAX_NAME_CHARS = 60

/** The members of the object that `text` is, or what is wrong. Never quotes the text: a secret may stand in it. */
function readObject(text: string | null): ReadonlyMap<string, unknown> | string {
  if (text === null || text.trim() === '') return new Map()
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_ARGS_BYTES)
    return `its args are ${bytes} bytes long; at most ${MAX_ARGS_BYTES} are allowed, so pass the name of a file instead`
  const value = parseJson(text)
  if (value === undefined) return 'its args are not valid JSON; they must be a JSON object, written as a string'
  if (isDeeper(value, MAX_ARGS_DEPTH))
    return `its args are nested more than ${MAX_ARGS_DEPTH} levels deep; every argument is a string, a number, true or false`
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'its args are not a JSON object; they must be one, such as {} when the skill takes no arguments'
  return new Map(Object.entries(value))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // JSON knows no undefined
  }
}

function unknownProblems({ name, args }: SkillSummary, given: ReadonlyMap<string, unknown>): string[] {
  const known = args.map((argument) => argument.name)
  const unknown = [...given.keys()].filter((key) => !known.includes(key))
  if (unknown.length === 0) return []
  const takes = known.length === 0 ? `${name} takes no arguments` : `${name} takes: ${known.join(', ')}`
  return [`there is no argument ${listNames(unknown)} (${takes})`]
}

function valueProblem({ name, type, required }: SkillArgument, value: unknown): string | null {
  if (value === null || value === undefined)
    return required ? `the argument "${name}" is missing; it must be ${TYPE_NAMES[type]}` : null
  if (!isOfType(type, value))
    return `the argument "${name}" must be ${TYPE_NAMES[type]}, not ${describeValue(type, value)}`
  if (typeof value === 'string' && !isStorable(value))
    return `the argument "${name}" contains a NUL character or a broken Unicode character; it must not`
  return null
}

const TYPE_NAMES: Readonly<Record<SkillArgumentType, string>> = {
  string: 'a string',
  int: 'a whole number',
  float: 'a number',
  bool: 'true or false',
}

function isOfType(type: SkillArgumentType, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'int':
      return Number.isSafeInteger(value)
    case 'float':
      return Number.isFinite(value)
    case 'bool':
      return typeof value === 'boolean'
    default:
      return type satisfies never
  }
}

function describeValue(type: SkillArgumentType, value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' && (type === 'int' || type === 'float'))
    return Number.isInteger(value) || !Number.isFinite(value) ? 'one that large' : 'a fraction'
  return (
    { boolean: 'true or false', number: 'a number', string: 'a string', object: 'an object' }[typeof value as string] ??
    'this'
  )
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME_CHARS)))
  return shown.join(', ') + (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '')
}
