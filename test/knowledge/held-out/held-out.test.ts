/** What the rules by form make of sentences that they were not fitted to (docs/curation.md has the figures). */
import { expect, test } from 'vitest'
import { germanNouns } from '../../../src/knowledge/learnings/german-noun-words.ts'
import { findSuspicions } from '../../../src/knowledge/suspicions/find-suspicions.ts'
import { teamFacts, teamQuestions } from './team/team.ts'
import { germanNounsHeldOut, HELD_OUT_KINDS, heldOutSentences } from './held-out.ts'

/** At least so many of them are held, of what is true at most. */
const BEFORE = { remark: [70, 72], order: [65, 65], secret: [45, 45], agent: [35, 35], fact: [4, 160] } as const
const AFTER = { remark: [9, 52], order: [35, 52], secret: [6, 26], agent: [11, 22], fact: [1, 80] } as const
const LATER = { remark: [32, 40], order: [55, 60], secret: [53, 60], fact: [1, 60] } as const
const LATER_KINDS = ['remark', 'order', 'secret', 'fact'] as const

test.each([
  ...HELD_OUT_KINDS.map((kind) => ({ written: 'before', kind, marks: BEFORE[kind] }) as const),
  ...HELD_OUT_KINDS.map((kind) => ({ written: 'after', kind, marks: AFTER[kind] }) as const),
  ...LATER_KINDS.map((kind) => ({ written: 'later', kind, marks: LATER[kind] }) as const),
])('$kind, written $written the rules', ({ written, kind, marks: [held, all] }) => {
  const texts = heldOutSentences(written).flatMap((one) => (one.kind === kind ? [one.text] : []))
  expect(new Set(texts).size).toBe(all)
  const found = texts.filter((text) => findSuspicions(text).length > 0).length
  expect(found).toSatisfy((count: number) => (kind === 'fact' ? count <= held : count >= held))
})

/** Written before the words that the rule knows, by the same hand. */
test.each([
  ['nouns', 20, 25],
  ['names', 0, 15],
] as const)('German %s behind prepositions', (kind, marks, all) => {
  const sentences = germanNounsHeldOut(kind)
  expect(sentences).toHaveLength(all)
  const nouns = sentences.filter(({ text, word }) => germanNouns(text).has(word.toLowerCase()))
  expect(nouns.length).toSatisfy((count: number) => (kind === 'names' ? count <= marks : count >= marks))
})

test("questions about a company's facts name facts that there are, each once", () => {
  const ids = teamFacts().map(({ id }) => id)
  const named = teamQuestions().flatMap(({ factId }) => (factId === null ? [] : [factId]))
  expect(named.filter((id) => !ids.includes(id))).toEqual([])
  expect([ids.length, new Set(ids).size, named.length]).toEqual([321, 321, 119])
})
