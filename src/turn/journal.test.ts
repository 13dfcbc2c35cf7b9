import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AppError } from '../core/errors.ts'
import { REDACTED } from '../core/text/redacted.ts'
import type { TurnWrite } from '../core/turn-write.ts'
import { NO_USAGE } from '../core/usage.ts'
import { systemClock } from '../platform/clock.ts'
import { Redactor } from '../secrets/redaction.ts'
import type { Committed } from '../store/turn/turn-commit.ts'
import { modelCall } from '../../test/worker/model-call.ts'
import { Journal } from './journal.ts'

const SECRET = 'open-sesame-42'
const step = (name: 'CONTEXT' | 'PLANNING' | 'PLANNED') => ({ type: 'PipelineStep', step: name, detail: null }) as const

/** A journal whose commits wait until the test lets them through. */
function heldJournal(clock = systemClock) {
  const commits: { write: TurnWrite; resolve: (committed: Committed) => void; reject: (error: unknown) => void }[] = []
  const seen = { failures: [] as unknown[], cancels: 0 }
  const journal = new Journal({
    sessionId: 'cli:test',
    turnId: 'turn_1',
    userName: () => 'ada',
    tokenName: 'cli',
    participates: true,
    usage: NO_USAGE,
    deaths: 0,
    clock,
    redactor: () => Redactor.of([SECRET]),
    commit: (write) => new Promise((resolve, reject) => commits.push({ write, resolve, reject })),
    onCommitted: () => undefined,
    onCancelRequested: () => (seen.cancels += 1),
    onFailure: (error) => seen.failures.push(error),
  })
  const nextCommit = async () => {
    while (commits.length === 0) await setImmediate()
    const commit = commits.shift()
    if (commit === undefined) throw new Error('no commit')
    return commit
  }
  return { journal, nextCommit, commits, seen }
}

const COMMITTED: Committed = {
  events: [],
  cancelRequested: false,
  participates: true,
  released: false,
  busyPolicy: 'QUEUE',
  turnsSinceCheckpoint: 0,
  hasDeliveries: false,
}

const stepsOf = (write: TurnWrite) =>
  write.events.map((event) => (event.body.type === 'PipelineStep' ? event.body.step : ''))

describe('the journal', () => {
  test('what is recorded in one go, and what waits for a commit, goes into one write, in order', async () => {
    const { journal, nextCommit, commits } = heldJournal()
    journal.record([step('CONTEXT')])
    journal.record([step('PLANNING')])
    const first = await nextCommit()
    journal.record([step('PLANNED')])
    journal.record([step('CONTEXT')])
    expect(stepsOf(first.write)).toEqual(['CONTEXT', 'PLANNING'])
    expect(commits).toHaveLength(0)
    first.resolve(COMMITTED)
    const second = await nextCommit()
    expect(stepsOf(second.write)).toEqual(['PLANNED', 'CONTEXT'])
    expect(second.write.step).toBe('CONTEXT')
    second.resolve(COMMITTED)
    await journal.flushed()
  })

  test('a write that is not awaited waits for more, until it is awaited or must not wait', async () => {
    const { journal, nextCommit, commits } = heldJournal({ ...systemClock, after: () => () => undefined })
    journal.record([step('CONTEXT')])
    await setImmediate()
    journal.record([step('PLANNING')])
    await setImmediate()
    expect(commits).toHaveLength(0)
    journal.hurry()
    const hurried = await nextCommit()
    expect(stepsOf(hurried.write)).toEqual(['CONTEXT', 'PLANNING'])
    journal.record([step('PLANNED')])
    hurried.resolve(COMMITTED)
    await setImmediate()
    expect(commits).toHaveLength(0)
    const flushed = journal.flushed()
    const awaited = await nextCommit()
    expect(stepsOf(awaited.write)).toEqual(['PLANNED'])
    awaited.resolve(COMMITTED)
    await flushed
  })

  test('after a failed commit nothing more is written, the failure is told once, and the barrier does not open', async () => {
    const { journal, nextCommit, commits, seen } = heldJournal()
    const lost = new AppError('LEASE_LOST', 'gone')
    journal.record([step('CONTEXT')])
    const commit = await nextCommit()
    journal.record([step('PLANNING')])
    commit.reject(lost)
    await expect(journal.flushed()).rejects.toBe(lost)
    journal.record([step('PLANNED')])
    await expect(journal.flushed()).rejects.toBe(lost)
    expect(seen.failures).toEqual([lost])
    expect(commits).toHaveLength(0)
  })

  test('no secret is written, in whatever field; ids and words of ours stay', async () => {
    const { journal, nextCommit } = heldJournal()
    journal.record([{ type: 'TaskOutput', taskId: 'task_1', stream: 'STDOUT', text: `it is ${SECRET}` }], {
      taskPatches: new Map([['task_1', { status: 'DONE', output: SECRET, reviewReason: `${SECRET}!` }]]),
      plans: [
        { id: 'p', attempt: 1, goal: SECRET, replanReason: SECRET, secretNames: [SECRET], createdAt: new Date(0) },
      ],
      finish: { status: 'FAILED', failure: `not ${SECRET}`, at: new Date(0) },
      audit: [
        {
          at: new Date(0),
          sessionId: 's',
          turnId: 't',
          actor: 'ada',
          tokenName: null,
          body: { kind: 'SESSION', change: 'TURN_PAUSED', detail: SECRET },
        },
      ],
    })
    const { write, resolve } = await nextCommit()
    expect(JSON.stringify([write, ...(write.taskPatches ?? [])])).not.toContain(SECRET)
    expect(write.events[0]?.body).toMatchObject({ taskId: 'task_1', stream: 'STDOUT', text: `it is ${REDACTED}` })
    expect(write.taskPatches?.get('task_1')).toMatchObject({ status: 'DONE', output: REDACTED })
    expect(write.finish).toMatchObject({ status: 'FAILED', failure: `not ${REDACTED}` })
    resolve(COMMITTED)
    await journal.flushed()
  })

  test('what was said in a call of a model is written once, without secrets, beside the call', async () => {
    const { journal, nextCommit } = heldJournal()
    const texts = { system: `Keep ${SECRET}.`, sharedSha256: null, prompt: SECRET, answer: `Is it ${SECRET}?` }
    journal.record([step('PLANNED')], { modelCalls: [{ ...modelCall(new Date(0)), texts }] })
    const { write, resolve } = await nextCommit()
    expect(write.callTexts).toEqual([
      {
        id: write.audit?.[0]?.id,
        at: new Date(0),
        system: `Keep ${REDACTED}.`,
        sharedSha256: null,
        prompt: REDACTED,
        answer: `Is it ${REDACTED}?`,
      },
    ])
    expect(write.modelCalls).toEqual([{ ...modelCall(new Date(0)), texts: null }])
    resolve(COMMITTED)
    await journal.flushed()
  })

  test('pieces of a text that are still to be written when it is whole are not written', async () => {
    const { journal, nextCommit } = heldJournal()
    const piece = (taskId: string, delta: string) => ({ type: 'TextDelta', taskId, delta }) as const
    const whole = { type: 'TextCompleted', taskId: 'task_1', content: 'one two', final: true, attempt: 1 } as const
    journal.record([piece('task_1', 'one ')])
    const first = await nextCommit()
    journal.record([piece('task_2', 'another')])
    journal.record([piece('task_1', 'two')])
    journal.record([step('PLANNED'), whole], { dropDeltasOf: ['task_1'] })
    first.resolve(COMMITTED)
    const { write, resolve } = await nextCommit()
    expect(write.events.map(({ body }) => body)).toEqual([piece('task_2', 'another'), step('PLANNED'), whole])
    resolve(COMMITTED)
    await journal.flushed()
  })

  test('a request to cancel is told once, however many commits see it', async () => {
    const { journal, nextCommit, seen } = heldJournal()
    for (const name of ['CONTEXT', 'PLANNING'] as const) {
      journal.record([step(name)])
      const commit = await nextCommit()
      commit.resolve({ ...COMMITTED, cancelRequested: true })
      await journal.flushed()
    }
    expect(seen.cancels).toBe(1)
  })
})
