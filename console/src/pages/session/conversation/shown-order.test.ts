import type { AgentEntry, Entry, PersonEntry } from '@factotum/client'
import { expect, test } from 'vitest'
import { inShownOrder, type Begun } from './shown-order.ts'

const TIME = '2026-11-30T06:00:'

function said(content: string, turnId: string | null, by = 'ada'): PersonEntry {
  const author = { role: 'USER', name: by, trusted: true } as const
  const message = { id: `msg_${content}`, status: 'DONE' } as const
  return { kind: 'person', key: content, seq: 0, at: '', content, turnId, author, message, files: [], sending: null }
}

function answer(content: string, turnId: string | null): AgentEntry {
  const rest = { seq: 0, at: '', isStreaming: false, final: true, taskId: null }
  return { kind: 'agent', key: content, content, turnId, ...rest }
}

/** In the order of the log, one second after the other. */
function log(...entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry, index) => ({ ...entry, seq: index + 1, at: `${TIME}${10 + index}.000Z` }))
}

function shown(entries: readonly Entry[], begun: Begun = {}): string[] {
  return inShownOrder(entries, begun).map(({ content }) => content)
}

test('messages that waited stand above their own answers, below those for which they waited', () => {
  const entries = log(said('A', 'a'), said('B', 'b'), said('C', 'c'), answer('to A', 'a'), answer('to B', 'b'))
  expect(shown([...entries, ...log(answer('to C', 'c'))])).toEqual(['A', 'to A', 'B', 'to B', 'C', 'to C'])
})

test('one whose turn has begun stands below the answer before it, though it has no answer yet or never gets one', () => {
  const entries = log(said('A', 'a'), said('B', 'b'), answer('to A', 'a'), said('C', 'c'), answer('to C', 'c'))
  expect(shown(entries.slice(0, 3), { b: `${TIME}13.000Z` })).toEqual(['A', 'to A', 'B'])
  expect(shown(entries, { b: `${TIME}12.500Z` })).toEqual(['A', 'to A', 'B', 'C', 'to C'])
})

test('what a turn took along stands with the message of that turn', () => {
  const entries = log(said('A', 'a'), said('B', 'b'), said('C', 'c'), answer('to A', 'a'), answer('to B and C', 'b'))
  expect(shown(entries)).toEqual(['A', 'to A', 'B', 'C', 'to B and C'])
})

test('what did not wait stays where it came: one that changed the running turn, withdrawn ones, talk of others', () => {
  const steered = log(said('A', 'a'), said('B', 'b'), said('Hello', null, 'ben'), answer('to A and B', 'a'))
  expect(inShownOrder(steered, { a: `${TIME}10.000Z` })).toBe(steered)
  const others = log(
    said('A', 'a'),
    said('B', 'b', 'ben'),
    said('C', 'c'),
    answer('to A and C', 'a'),
    answer('to B', 'b'),
  )
  expect(shown(others)).toEqual(['A', 'C', 'to A and C', 'B', 'to B'])
  const brought = log(said('A', 'a'), answer('brought by a client', null), answer('to A', 'a'))
  expect(inShownOrder(brought, {})).toBe(brought)
})
