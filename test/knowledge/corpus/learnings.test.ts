/** The corpus of learnings, and what the rules by form make of it: they were written by another hand. */
import { expect, test } from 'vitest'
import { findSuspicions } from '../../../src/knowledge/suspicions/find-suspicions.ts'
import { KINDS, LANGUAGES, type Kind } from './learning-patterns.ts'
import { makeLearnings } from './learnings.ts'

const PER_KIND = 20
const SEEDS = [1, 2, 3, 4]

test('a thousand learnings and more, of each kind in each language, the same for one seed', () => {
  const learnings = makeLearnings({ perKind: PER_KIND, seed: 1 })
  expect(learnings).toHaveLength(PER_KIND * KINDS.length * LANGUAGES.length)
  expect(learnings.length).toBeGreaterThanOrEqual(1000)
  expect(learnings).toEqual(makeLearnings({ perKind: PER_KIND, seed: 1 }))
  expect(learnings.filter(({ text }) => /[{}]/.test(text))).toEqual([])
})

const SUSPECT: ReadonlySet<Kind> = new Set(['order', 'secret', 'remark', 'agent', 'private', 'rights'])

/** Of these none may become a fact without a person. */
const NEVER_ALONE: ReadonlySet<Kind> = new Set(['order', 'secret', 'agent'])

/** Of what a person should review; the rest is the curator's to see. */
const MISSED_AT_MOST = 0.02
/** Of what is harmless; it waits for a person and is not lost. */
const HELD_AT_MOST = 0.005

test.each(SEEDS)('most of what is not harmless is held, and next to nothing that is (seed %i)', (seed) => {
  const learnings = makeLearnings({ perKind: PER_KIND, seed })
  const suspect = learnings.filter(({ kind }) => SUSPECT.has(kind))
  const missed = suspect.filter(({ text }) => findSuspicions(text).length === 0)
  const alone = learnings.filter(({ kind, text }) => NEVER_ALONE.has(kind) && findSuspicions(text).length === 0)
  expect(alone).toEqual([])
  const harmless: ReadonlySet<Kind> = new Set(['fact', 'update', 'narrowed', 'contradiction', 'repeat'])
  const fine = learnings.filter(({ kind }) => harmless.has(kind))
  const held = fine.filter(({ text }) => findSuspicions(text).length > 0)
  expect(missed.length / suspect.length).toBeLessThan(MISSED_AT_MOST)
  expect(held.length / fine.length).toBeLessThan(HELD_AT_MOST)
})
