import { describe, expect, test } from 'vitest'
import { REDACTED } from '../core/text/redacted.ts'
import type { TurnWrite } from '../core/turn-write.ts'
import { redactDeep, redactJson } from './redact-deep.ts'
import { Redactor } from './redaction.ts'

const SECRET = 'open-sesame-42'
const redactor = Redactor.of([SECRET, 'INTERRUPTED', 'PipelineStep', 'task_01jd0000000000000000000000'])
const at = new Date(0)

describe('redactDeep', () => {
  test('finds texts in objects, lists and maps, however deep', () => {
    const write: TurnWrite = {
      events: [{ at, turnId: 't', body: { type: 'TaskOutput', taskId: 'a', stream: 'STDOUT', text: `x ${SECRET}` } }],
      taskPatches: new Map([['a', { output: SECRET, exitCode: 1, startedAt: at }]]),
      factsUsed: [SECRET],
    }
    const redacted = redactDeep(write, redactor)
    expect(redacted.events[0]?.body).toMatchObject({ text: `x ${REDACTED}` })
    expect(redacted.taskPatches?.get('a')).toEqual({ output: REDACTED, exitCode: 1, startedAt: at })
    expect(redacted.factsUsed).toEqual([REDACTED])
  })

  test('leaves words of ours and ids alone, or no row would hold them', () => {
    const value = {
      type: 'PipelineStep',
      status: 'INTERRUPTED',
      taskId: 'task_01jd0000000000000000000000',
      detail: 'INTERRUPTED',
    }
    expect(redactDeep(value, redactor)).toEqual({ ...value, detail: REDACTED })
  })

  test('takes nothing in the arguments of a skill for a word of ours', () => {
    const value = { skill: 'search', args: { status: SECRET, type: 'INTERRUPTED', count: 3 } }
    expect(redactDeep(value, redactor)).toEqual({
      skill: 'search',
      args: { status: REDACTED, type: REDACTED, count: 3 },
    })
  })

  test('gives the same object back when there is nothing to hide', () => {
    const value = { a: [{ b: 'c', at }], d: null }
    expect(redactDeep(value, redactor)).toBe(value)
    expect(redactDeep(value, Redactor.none)).toBe(value)
  })
})

describe('redactJson', () => {
  test('hides names of fields too', () => {
    expect(redactJson({ [SECRET]: { id: [SECRET, 1, null, true] } }, redactor)).toEqual({
      [REDACTED]: { id: [REDACTED, 1, null, true] },
    })
  })

  test('makes no prototype of a field that is called like one', () => {
    const value: unknown = JSON.parse(`{"__proto__": {"admin": "${SECRET}"}}`)
    const redacted = redactJson(value, redactor) as Record<string, unknown>
    expect(redacted['admin']).toBeUndefined()
    expect(JSON.stringify(redacted)).toBe(`{"__proto__":{"admin":"${REDACTED}"}}`)
  })
})
