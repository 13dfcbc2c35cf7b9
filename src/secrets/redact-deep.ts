/**
 * Redaction of whole values: every text in an object, a list or a map, however deep. A value without secrets comes back
 * as it is.
 */
import type { Redactor } from './redaction.ts'

/**
 * Fields whose texts are words of ours, which rows and readers depend on: a secret that is such a word must not break
 * them.
 */
const OUR_WORDS = new Set([
  'type',
  'kind',
  'step',
  'status',
  'verdict',
  'stream',
  'role',
  'operation',
  'change',
  'code',
  'taskType',
  'reviewVerdict',
  // Whom the audit names, and what was paid: who makes a secret of these words must not vanish from it.
  'actor',
  'tokenName',
  'provider',
  'model',
])

/** Fields whose inner names are not ours, such as the arguments of a skill: names and texts in them are redacted. */
const FOREIGN_FIELDS = new Set(['args'])

/** For values that our own code made. Words of ours and ids stay; in the arguments of a skill, everything counts. */
export function redactDeep<T>(value: T, redactor: Redactor): T {
  return redactor.isEmpty ? value : (walk(value, ownRules(redactor)) as T)
}

/** For JSON from outside: every text counts, the names of fields too. */
export function redactJson<T>(value: T, redactor: Redactor): T {
  return redactor.isEmpty ? value : (walk(value, foreignRules(redactor)) as T)
}

interface Rules {
  readonly text: (text: string) => string
  readonly fieldName: (name: string) => string
  /** The rules for what stands in a field; null: it stays as it is. */
  readonly within: (name: string, value: unknown) => Rules | null
}

function ownRules(redactor: Redactor): Rules {
  const rules: Rules = {
    text: (text) => redactor.redact(text),
    fieldName: (name) => name,
    within: (name, value) => {
      if (typeof value === 'string' && (OUR_WORDS.has(name) || isIdField(name))) return null
      return FOREIGN_FIELDS.has(name) ? foreignRules(redactor) : rules
    },
  }
  return rules
}

function isIdField(name: string): boolean {
  return name === 'id' || name.endsWith('Id')
}

function foreignRules(redactor: Redactor): Rules {
  const redact = (text: string): string => redactor.redact(text)
  const rules: Rules = { text: redact, fieldName: redact, within: () => rules }
  return rules
}

function walk(value: unknown, rules: Rules): unknown {
  if (typeof value === 'string') return rules.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return walkList(value, rules)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, walk(item, rules)]))
  return isPlain(value) ? walkObject(value, rules) : value
}

/** Dates, buffers and the like hold no texts. */
function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function walkList(list: readonly unknown[], rules: Rules): readonly unknown[] {
  const walked = list.map((item) => walk(item, rules))
  return walked.some((item, index) => item !== list[index]) ? walked : list
}

function walkObject(object: Record<string, unknown>, rules: Rules): Record<string, unknown> {
  const fields = Object.entries(object)
  const walked = fields.map(([name, value]): [string, unknown] => {
    const within = rules.within(name, value)
    return [rules.fieldName(name), within === null ? value : walk(value, within)]
  })
  const differs = walked.some(([name, value], index) => name !== fields[index]?.[0] || value !== fields[index][1])
  return differs ? Object.fromEntries(walked) : object
}
