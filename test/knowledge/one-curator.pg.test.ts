/** In one session one curator is asked at a time: a turn's, or that of one job. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import {
  claimCuration,
  endCuration,
  isCurating,
  postponeCuration,
  renewCuration,
  type CurationClaim,
} from '../../src/store/knowledge/curation-jobs.ts'
import { beginTurn } from '../../src/store/turn/begin-turn.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const SESSION = 'cli:demo'
const at = new Date('2026-01-02T03:04:05.678Z')

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

/** A turn that runs; `end` leaves what it learned to a job that is due. */
async function beginOne() {
  const { database } = world.context
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'hello' })
  const lease = must((await claimSessions(database, 1, { limit: 1, held: [] }))[0], 'there is work')
  const limits = { summarizeThreshold: 30, maxRunningPerUser: 1000 }
  const begun = await beginTurn(database, lease, { at, limits })
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  const { turn } = begun
  const leave = () => commitTurn(database, { lease, turn }, { events: [], curationDue: true })
  const end = () => commitTurn(database, { lease, turn }, { events: [], finish: { status: 'DONE', failure: null, at } })
  return { leave, end }
}

const due = () => world.sql('UPDATE curation_jobs SET ready_at = now()')

async function claimed(): Promise<CurationClaim> {
  return must(await claimCuration(world.context.database), 'a job that is due')
}

test('while a turn runs no job of its session begins', async () => {
  const { database } = world.context
  const turn = await beginOne()
  await turn.leave()
  await due()
  expect(await claimCuration(database)).toBeNull()
  await turn.end()
  expect(await claimCuration(database)).toMatchObject({ sessionId: SESSION, failures: 0 })
})

test.each([
  ['ends', endCuration],
  ['fails', (database, claim) => postponeCuration(database, claim, { againInMs: 60_000, isFailure: true })],
] satisfies [string, typeof endCuration][])(
  'a job that becomes due while it runs is done once it %s',
  async (_, end) => {
    const { database } = world.context
    const first = await beginOne()
    await first.leave()
    await first.end()
    await due()
    const claim = await claimed()
    expect(await isCurating(database, SESSION)).toBe(true)
    const second = await beginOne()
    await second.leave()
    await second.end()
    await due()
    expect(await claimCuration(database)).toBeNull()
    expect(await isCurating(database, SESSION)).toBe(true)
    await end(database, claim)
    // One that was on its way just then.
    expect(await renewCuration(database, claim)).toBe(false)
    expect(await isCurating(database, SESSION)).toBe(false)
    await endCuration(database, await claimed())
    expect(await world.sql('SELECT session_id FROM curation_jobs')).toEqual([])
  },
)
