/**
 * Facts of one company and questions as people type them, in several languages, which the finder was not fitted to: it
 * was mended in general by what its misses show, and the sentences stay as they were written. `facts.txt` has a part
 * for each scope, `questions.txt` for each kind of question.
 */
import { readFileSync } from 'node:fs'
import type { Scope } from '../../../../src/core/knowledge/fact-scope.ts'
import type { FactScope } from '../../../../src/core/status.ts'

export interface TeamFact {
  readonly id: string
  readonly scope: Scope
  readonly content: string
}

export interface TeamQuestion {
  readonly kind: string
  readonly text: string
  /** The fact that answers it; null: none does. */
  readonly factId: string | null
}

/** In the order in which they were learned. */
export function teamFacts(): TeamFact[] {
  return partsOf('facts.txt').flatMap(({ name, lines }) => {
    const [scope = 'GLOBAL', scopeOf = ''] = name.split(' ') as [FactScope?, string?]
    return lines.map(({ line, at }) => {
      const [, key = `line-${at}`, content = line] = /^@(\S+) (.*)$/.exec(line) ?? []
      return { id: `fact_${String(at).padStart(4, '0')}_${key}`, scope: { scope, scopeOf }, content }
    })
  })
}

export function teamQuestions(): TeamQuestion[] {
  const ids = new Map(teamFacts().map(({ id }) => [id.replace(/^fact_\d+_/, ''), id]))
  return partsOf('questions.txt').flatMap(({ name: kind, lines }) =>
    lines.map(({ line }) => {
      const [text = '', key = ''] = line.split('|')
      return { kind, text, factId: key === '' ? null : (ids.get(key) ?? key) }
    }),
  )
}

function partsOf(file: string): { name: string; lines: { line: string; at: number }[] }[] {
  const parts: { name: string; lines: { line: string; at: number }[] }[] = []
  for (const [at, line] of readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .entries())
    if (line.startsWith('# ')) parts.push({ name: line.slice(2), lines: [] })
    else if (line !== '') parts.at(-1)?.lines.push({ line, at })
  return parts
}
