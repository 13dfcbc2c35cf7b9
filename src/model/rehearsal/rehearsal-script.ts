/**
 * The lines of a message that tell the rehearsal model what to do; `rehearsal-grammar.ts` explains them to people. What
 * must hold: every line is either one of these or part of the rest, which is quoted in the answer. A `secret:` line is
 * never quoted.
 */
export type ScriptTask =
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'skill' | 'tool'; readonly name: string; readonly args: string }

/** What a message asks of the rehearsal. `waitMs` is the sum of its `wait:` lines, ten minutes at most. */
export interface Script {
  /** In the order of their lines. */
  readonly tasks: readonly ScriptTask[]
  readonly learn: readonly string[]
  /** What the introspector is to keep in mind. */
  readonly notes: readonly string[]
  readonly secrets: readonly { readonly key: string; readonly value: string }[]
  readonly answer: string | null
  /** What holds, by the answer, in place of a fact; '': the fact does. */
  readonly instead: string | null
  readonly fail: string | null
  readonly waitMs: number
  readonly asksForFacts: boolean
  /** What the facts contain that the answer is to name. */
  readonly uses: readonly string[]
  /** Nothing is said. */
  readonly silent: boolean
  /** The lines that are none of these. */
  readonly rest: string
}

const MAX_WAIT_MS = 600_000

interface Line {
  readonly key: string
  readonly value: string
}

/**
 * Never fails: a line that is not well-formed belongs to `rest`. Of several `answer:` or `fail:` lines the first
 * counts.
 */
export function readScript(message: string): Script {
  const lines = message.split(/\r?\n/).map(readLine)
  const valuesOf = (wanted: string): string[] => lines.flatMap(({ key, value }) => (key === wanted ? [value] : []))
  return {
    tasks: lines.flatMap(readTask),
    learn: valuesOf('learn'),
    notes: valuesOf('note'),
    secrets: valuesOf('secret').map(readSecret),
    answer: valuesOf('answer')[0] ?? null,
    instead: valuesOf('instead')[0] ?? null,
    fail: valuesOf('fail')[0] ?? null,
    waitMs: Math.min(
      MAX_WAIT_MS,
      valuesOf('wait').reduce((sum, value) => sum + Number(value), 0),
    ),
    uses: valuesOf('uses'),
    asksForFacts: valuesOf('facts').length > 0,
    silent: valuesOf('silent').length > 0,
    rest: valuesOf('rest').join('\n').trim(),
  }
}

function readLine(line: string): Line {
  if (line.trim().toLowerCase() === 'facts?') return { key: 'facts', value: '' }
  const [start, key = ''] = /^\s*(run|skill|tool|learn|note|secret|answer|instead|uses|fail|wait|silent):/.exec(
    line,
  ) ?? ['']
  const value = line.slice(start.length).trim()
  return isWhole(key, value) ? { key, value } : { key: 'rest', value: line }
}

function isWhole(key: string, value: string): boolean {
  if (key === '') return false
  if (key === 'fail' || key === 'secret' || key === 'instead') return true
  if (key === 'silent') return value === ''
  return key === 'wait' ? /^\d{1,9}$/.test(value) : value !== ''
}

function readTask({ key, value }: Line): ScriptTask[] {
  if (key === 'run') return [{ kind: 'run', command: value }]
  if (key !== 'skill' && key !== 'tool') return []
  const [name = '', ...args] = value.split(/\s+/)
  return [{ kind: key, name, args: args.length === 0 ? '{}' : value.slice(name.length).trim() }]
}

function readSecret(text: string): { readonly key: string; readonly value: string } {
  const [key = '', ...value] = text.split('=')
  return { key: key.trim(), value: value.join('=').trim() }
}
