/** One user with much to do does not keep others waiting, in whatever process their messages come in. */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { ServerDocument } from '../generated/graphql.ts'

const MANY = 40
const SHARE = 5
const MEANWHILE = 3
const LINE = 10

test('forty sessions of one user wait for something; the messages of others are answered meanwhile, and all forty in the end', async () => {
  const settings = { max_running_per_user: SHARE }
  await using here = await Story.begin({ config: { settings } })
  await using there = await Story.begin({ beside: here })
  const ada = here.as('ada')
  const gate = here.path('gate')
  const endless = `run: until [ -e ${gate} ]; do sleep 0.05; done`
  const sessions = Array.from({ length: MANY }, (_, n) => `cli:many-${n}`)
  await Promise.all(sessions.map((id, n) => send((n % 2 === 0 ? here : there).as('ada'), id, endless)))
  const states = async () => (await ada.run(ServerDocument)).server
  await expect.poll(states).toMatchObject({ runningTurns: SHARE, queuedTurns: MANY - SHARE })

  for (let n = 0; n < MEANWHILE; n += 1) {
    for (const story of [here, there]) {
      expect(await converse(story.as('ben'), '@ben:hello', 'Hello')).toMatchObject({ status: 'DONE' })
      expect(await converse(story.as('cleo'), `@cleo:${n}`, 'Hello')).toMatchObject({ status: 'DONE' })
    }
  }
  // Not to the last one: a machine that stands still for seconds ends a command, whose permit lapses then.
  const { runningTurns, queuedTurns } = await states()
  expect({ runningTurns, waitsStill: queuedTurns > MANY / 2 }).toEqual({ runningTurns: SHARE, waitsStill: true })

  await writeFile(gate, '')
  for (const id of sessions) {
    await using watch = watchAll(ada, id)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  }
})

test('who has a long line in one session does not keep another session of theirs waiting until its end', async () => {
  await using story = await Story.begin({ config: { settings: { max_running_per_user: 1 } } })
  const ada = story.as('ada')
  const gate = story.path('gate')
  await send(ada, 'cli:line', `run: until [ -e ${gate} ]; do sleep 0.05; done`)
  await using line = watchAll(ada, 'cli:line')
  for (let n = 1; n < LINE; n += 1) await send(ada, 'cli:line', 'Hello')
  await send(ada, 'cli:other', 'Hello')
  await using other = watchAll(ada, 'cli:other')
  await writeFile(gate, '')
  const at = Date.parse((await turnEnd(other)).at)
  expect(at).toBeLessThan(Date.parse((await turnEnd(line, LINE)).at))
})
