/**
 * What a schema takes and JSON cannot carry, such as a date: models and admins can only write JSON, so a tool with such
 * an argument could never be called, and such a setting never be set.
 */
import type * as z from 'zod'

const INSTEAD: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime() or z.iso.date(), a text',
  bigint: 'z.int(), or z.string() for what is larger',
  map: 'z.record(z.string(), …)',
  set: 'z.array(…)',
  undefined: '.optional() behind what it may be, or nothing',
  void: '.optional() behind what it may be, or nothing',
  symbol: 'z.enum([…]) or z.string()',
  nan: 'z.number()',
  function: 'z.string() or z.object({ … })',
  promise: 'what it resolves with',
  file: 'z.string(), a path or an id',
}

/** Each a clause that names the place, beginning with `path`, and what to write there. Empty: JSON carries it all. */
export function unsendable(type: z.core.$ZodType, path: string): readonly string[] {
  return problemsOf(type as z.core.$ZodTypes, path, new Set())
}

/** `above`: those that are being gone through, since a schema may hold itself. */
function problemsOf(type: z.core.$ZodTypes, path: string, above: ReadonlySet<object>): readonly string[] {
  if (above.has(type)) return []
  const within = new Set([...above, type])
  const go = (inner: z.core.$ZodType, place = path): readonly string[] =>
    problemsOf(inner as z.core.$ZodTypes, place, within)
  const { def } = type._zod
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, field]) => go(field, `${path}.${key}`))
    case 'array':
      return go(def.element, `${path}[]`)
    case 'tuple':
      return def.items.flatMap((item, index) => go(item, `${path}[${index}]`))
    case 'record':
      return go(def.valueType, `${path}[…]`)
    case 'union':
      return ofUnion(def.options.map((option) => go(option)))
    case 'intersection':
      return [...go(def.left), ...go(def.right)]
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
      return go(def.innerType)
    case 'pipe':
      return go(def.in)
    case 'lazy':
      return go(def.getter())
    default:
      return ofLeaf(type, path)
  }
}

/** One that JSON carries is enough: the others are never met. */
function ofUnion(options: readonly (readonly string[])[]): readonly string[] {
  return options.some((problems) => problems.length === 0) ? [] : (options[0] ?? [])
}

function ofLeaf(type: z.core.$ZodTypes, path: string): readonly string[] {
  const { def, bag } = type._zod
  // z.coerce makes one of what JSON carries.
  if ('coerce' in def && def.coerce) return []
  const made: unknown = 'Class' in bag ? bag['Class'] : undefined
  if (def.type === 'custom' && typeof made === 'function')
    return [`${path}: JSON carries no instance of ${made.name}; write z.string() or z.object({ … })`]
  if (def.type === 'literal' && !def.values.some(isJson))
    return [`${path}: JSON carries no ${typeof def.values[0]}; write a text, a number, true, false or null`]
  const instead = INSTEAD[def.type]
  return instead === undefined ? [] : [`${path}: JSON carries no ${def.type}; write ${instead}`]
}

function isJson(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
