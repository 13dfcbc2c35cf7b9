import { expect, test } from 'vitest'
import type { TurnWrite } from '../core/turn-write.ts'
import { REDACTED } from '../core/text/redacted.ts'
import { redactByKind, redactTexts, type FreeTexts, type TextsByKind } from './free-texts.ts'
import { redactWrite } from './turn-texts.ts'
import { Redactor } from './redaction.ts'

const SECRET = 'open-sesame-42'
const redactor = Redactor.of([SECRET, 'INTERRUPTED', 'task_01jd0000000000000000000000'])
const at = new Date(0)

interface Sample {
  readonly id: string
  readonly note: string | null
  readonly kind: 'A' | 'B'
  readonly count: number
  readonly tags?: readonly string[]
  readonly inner: { readonly text: string; readonly at: Date }
  readonly parts: ReadonlyMap<string, { readonly text: string }>
  readonly args: Readonly<Record<string, unknown>>
}
const TEXTS: FreeTexts<Sample> = {
  id: 'kept',
  note: 'text',
  tags: 'text',
  inner: { text: 'text' },
  parts: { text: 'text' },
  args: 'json',
}

test('what is declared free text is redacted in lists, maps and objects; what is kept stays', () => {
  const sample: Sample = {
    id: SECRET,
    note: `a ${SECRET}`,
    kind: 'A',
    count: 1,
    tags: [SECRET, 'b'],
    inner: { text: SECRET, at },
    parts: new Map([[SECRET, { text: SECRET }]]),
    args: { [SECRET]: ['INTERRUPTED', 3] },
  }
  expect(redactTexts(sample, TEXTS, redactor)).toEqual({
    ...sample,
    note: `a ${REDACTED}`,
    tags: [REDACTED, 'b'],
    inner: { text: REDACTED, at },
    parts: new Map([[SECRET, { text: REDACTED }]]),
    args: { [REDACTED]: [REDACTED, 3] },
  })
})

test('a field that can hold any text and is not declared does not compile', () => {
  // @ts-expect-error `inner.text` is not declared
  const forgotten: FreeTexts<Sample> = { ...TEXTS, inner: {} }
  // @ts-expect-error JSON of others cannot be kept
  const kept: FreeTexts<Sample> = { ...TEXTS, args: 'kept' }
  expect([forgotten, kept]).toHaveLength(2)
})

test('a value without secrets is itself', () => {
  const sample = { note: 'a', tags: ['b'], inner: { text: 'c' } }
  expect(redactTexts(sample, { note: 'text', tags: 'text', inner: { text: 'text' } }, redactor)).toBe(sample)
})

type Decision =
  | { readonly kind: 'KEEP'; readonly factId: string }
  | { readonly kind: 'EDIT'; readonly factId: string; readonly content: string; readonly twice: { readonly a: string } }

test('the members of a union have one declaration, of all their fields', () => {
  const texts: FreeTexts<Decision> = { factId: 'kept', content: 'text', twice: { a: 'text' } }
  const decisions: readonly Decision[] = [
    { kind: 'KEEP', factId: SECRET },
    { kind: 'EDIT', factId: SECRET, content: SECRET, twice: { a: SECRET } },
  ]
  expect(redactTexts(decisions, texts, redactor)).toEqual([
    { kind: 'KEEP', factId: SECRET },
    { kind: 'EDIT', factId: SECRET, content: REDACTED, twice: { a: REDACTED } },
  ])
  // @ts-expect-error `content`, which one member alone has, is not declared
  const forgotten: FreeTexts<Decision> = { factId: 'kept', twice: { a: 'text' } }
  expect(forgotten).toBeDefined()
})

test('by kind, each member has its own', () => {
  const texts: TextsByKind<Decision, 'kind'> = {
    KEEP: { factId: 'text' },
    EDIT: { factId: 'kept', content: 'text', twice: { a: 'text' } },
  }
  const keep: Decision = { kind: 'KEEP', factId: SECRET }
  expect(redactByKind<'kind', Decision>(keep, { by: 'kind', texts }, redactor)).toEqual({ ...keep, factId: REDACTED })
})

test('a turn writes no secret, and its ids, words and names are as they were', () => {
  const taskId = 'task_01jd0000000000000000000000'
  const about = { at, sessionId: 's', turnId: 't', actor: SECRET, tokenName: SECRET }
  const call = {
    role: 'planner',
    provider: SECRET,
    model: SECRET,
    status: 'OK',
    inputTokens: 1,
    outputTokens: 1,
  } as const
  const write: TurnWrite = {
    events: [{ at, turnId: 't', body: { type: 'TaskOutput', taskId, stream: 'STDOUT', text: `x ${SECRET}` } }],
    taskPatches: new Map([[taskId, { status: 'INTERRUPTED', output: SECRET, exitCode: 1, startedAt: at }]]),
    audit: [
      { ...about, body: { kind: 'MODEL_CALL', ...call, cachedTokens: 0, cost: null, durationMs: 1 } },
      { ...about, body: { kind: 'SESSION', change: 'UPDATED', detail: SECRET } },
    ],
  }
  expect(redactWrite(write, redactor)).toEqual({
    events: [{ at, turnId: 't', body: { type: 'TaskOutput', taskId, stream: 'STDOUT', text: `x ${REDACTED}` } }],
    taskPatches: new Map([[taskId, { status: 'INTERRUPTED', output: REDACTED, exitCode: 1, startedAt: at }]]),
    audit: [write.audit?.[0], { ...about, body: { kind: 'SESSION', change: 'UPDATED', detail: REDACTED } }],
  })
})
