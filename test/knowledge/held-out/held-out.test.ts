/** What the rules by form make of sentences that they were not fitted to. */
import { expect, test } from 'vitest'
import { findSuspicions } from '../../../src/knowledge/learnings/find-suspicions.ts'
import { HELD_OUT_KINDS, heldOutSentences, type HeldOutKind } from './held-out.ts'

const FEWEST: Readonly<Record<HeldOutKind, number>> = { remark: 60, order: 60, secret: 40, agent: 30, fact: 150 }
/** Held, of all: at least so many of each kind, and at most of what is true. */
const HELD: Readonly<Record<HeldOutKind, number>> = { remark: 0.25, order: 0.16, secret: 0.15, agent: 0.48, fact: 0.05 }

test.each(HELD_OUT_KINDS)('%s', (kind) => {
  const sentences = heldOutSentences().filter((one) => one.kind === kind)
  expect(sentences.length).toBeGreaterThanOrEqual(FEWEST[kind])
  expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length)
  const held = sentences.filter(({ text }) => findSuspicions(text).length > 0).length / sentences.length
  if (kind === 'fact') expect(held).toBeLessThan(HELD[kind])
  else expect(held).toBeGreaterThanOrEqual(HELD[kind])
})
