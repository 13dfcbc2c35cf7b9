/**
 * The rows behind checkpoints, past the introspector: in whatever order processes claim, lose, renew and commit, a
 * span is covered once, and what was spent is accounted always.
 */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelCallRecord } from '../../src/core/model-call.ts'
import { normalText } from '../../src/core/text/normal-text.ts'
import { TO_JUDGE } from '../../src/knowledge/learnings/enter-learning.ts'
import { loadSpan } from '../../src/knowledge/checkpoints/load-span.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { commitCheckpoint, type CheckpointOutcome } from '../../src/store/knowledge/checkpoint-commit.ts'
import {
  claimCheckpoints,
  dropCheckpoint,
  dueCheckpoint,
  renewCheckpoints,
  type CheckpointClaim,
} from '../../src/store/knowledge/checkpoints.ts'
import type { Database } from '../../src/store/database.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
let database: Database
beforeAll(async () => {
  world = await createWorld()
  database = world.context.database
})
afterAll(() => world[Symbol.asyncDispose]())

const CALL: ModelCallRecord = {
  role: 'introspector',
  provider: 'stub',
  model: 'stub-1',
  status: 'OK',
  inputTokens: 10,
  outputTokens: 1,
  cachedTokens: 0,
  cost: null,
  durationMs: 1,
  at: new Date(),
  texts: null,
}

type Step = 'say' | 'due' | 'claim' | 'lose' | 'renew' | 'succeed' | 'fail' | 'stop'

/** What one process holds: a claim, and the span that it read under it. */
interface Held {
  readonly claim: CheckpointClaim
  readonly span: NonNullable<Awaited<ReturnType<typeof loadSpan>>>
}

/** A session, some processes at its checkpoints, and what they believe to have written. */
class Play {
  readonly sessionId: string
  readonly held = new Map<number, Held>()
  readonly covered: { readonly from: number; readonly to: number }[] = []
  said = 0
  calls = 0
  events = 0

  constructor(sessionId: string) {
    this.sessionId = sessionId
  }

  async step(step: Step, process: number): Promise<void> {
    const held = this.held.get(process)
    if (step === 'say') return this.#say()
    if (step === 'due') return dueCheckpoint(database, this.sessionId, 'TURN_LIMIT')
    if (step === 'claim') return this.#claim(process)
    if (step === 'lose') {
      await world.sql(
        'UPDATE checkpoints SET leased_until = now(), ready_at = now() WHERE session_id = $1',
        this.sessionId,
      )
    } else if (held !== undefined && step === 'renew') {
      if ((await renewCheckpoints(database, [held.claim])).length === 0) this.held.delete(process)
    } else if (held !== undefined) {
      this.held.delete(process)
      await this.#commit(held, step)
    }
  }

  async #say(): Promise<void> {
    this.said += 1
    await world.sql(
      `WITH s AS (UPDATE sessions SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq)
       INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
       SELECT $2, $1, last_seq, 'USER', 'message ' || last_seq, true, 'STORED', 'cli', now() FROM s`,
      this.sessionId,
      newId('message'),
    )
  }

  async #claim(process: number): Promise<void> {
    const claims = await claimCheckpoints(database, 1)
    const [claim] = claims
    if (claim === undefined) return
    const span = await loadSpan(database, { sessionId: this.sessionId, maxChars: 60_000 })
    if (span === null) await dropCheckpoint(database, claim)
    else this.held.set(process, { claim, span })
  }

  async #commit({ claim, span }: Held, step: 'succeed' | 'fail' | 'stop' | 'renew'): Promise<void> {
    const { fromSeq, toSeq, turnCount } = span
    const content = `${this.sessionId}: ${fromSeq} to ${toSeq}, run ${claim.runId}`
    const learnings = [{ id: newId('learning'), userName: null, content, norm: normalText(content), entry: TO_JUDGE }]
    const result = { fromSeq, toSeq, turnCount, workingMemory: content, description: null, learnings }
    const outcome: CheckpointOutcome =
      step === 'succeed'
        ? { kind: 'Done', result }
        : step === 'fail'
          ? { kind: 'Failed', failure: 'It failed.', againInMs: claim.failures > 1 ? null : 0 }
          : { kind: 'Stopped' }
    this.calls += 1
    const end = { outcome, calls: [CALL], audit: [], texts: [], at: new Date() }
    const events = await commitCheckpoint(database, claim, end)
    this.events += events.length
    if (step === 'succeed' && events.length > 0) this.covered.push({ from: fromSeq, to: toSeq })
  }
}

/** Long ones: most of what matters needs several steps in a row. */
const steps = fc.array(
  fc.tuple(
    fc.constantFrom<Step>(
      ...(['say', 'say', 'due', 'due', 'due', 'claim', 'claim', 'claim', 'claim'] as const),
      ...(['lose', 'lose', 'renew', 'succeed', 'succeed', 'succeed', 'fail', 'stop'] as const),
    ),
    fc.constantFrom(1, 2, 3),
  ),
  { minLength: 80, maxLength: 80, size: 'max' },
)

test('in whatever order processes act, spans follow on each other, and each was covered once', async () => {
  let sessions = 0
  let spans = 0
  const late = { commits: 0 }
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      sessions += 1
      await world.sql('DELETE FROM checkpoints')
      const play = new Play(`cli:play-${sessions}`)
      await world.sql(
        `INSERT INTO sessions (id, source_kind, source_interactive) VALUES ($1, 'cli', true)`,
        play.sessionId,
      )
      for (const [step, process] of script) await play.step(step, process)

      const [session] = await world.sql<{
        checkpoint_seq: number
        model_calls: number
        input_tokens: string
        last_seq: number
      }>('SELECT checkpoint_seq, model_calls, input_tokens, last_seq FROM sessions WHERE id = $1', play.sessionId)
      let cursor = 0
      for (const { from, to } of play.covered) {
        expect(from).toBe(cursor)
        expect(to).toBeGreaterThan(from)
        cursor = to
      }
      expect(must(session, 'it is there')).toEqual({
        checkpoint_seq: cursor,
        model_calls: play.calls,
        input_tokens: String(play.calls * CALL.inputTokens),
        last_seq: play.said + play.events,
      })
      const learned = await world.sql('SELECT 1 FROM learnings WHERE session_id = $1', play.sessionId)
      expect(learned).toHaveLength(play.covered.length)
      spans += play.covered.length
      late.commits += play.calls - play.events
    }),
    { numRuns: 10, endOnFailure: true },
  )
  // It was not all for nothing.
  expect(spans).toBeGreaterThan(0)
  expect(late.commits).toBeGreaterThan(0)
})
