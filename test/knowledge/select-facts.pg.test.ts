/** Which facts a prompt gets, and what a new learning is recognised to repeat. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { normalText } from '../../src/core/text/normal-text.ts'
import { selectFacts } from '../../src/knowledge/select-facts.ts'
import { fillFacts } from '../harness/long-history.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  await world.sql(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true)`)
  await world.sql(`INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
    VALUES ('msg_a', 'cli:a', 1, 'USER', 'x', true, 'DONE', 'cli', now())`)
  await world.sql(`INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at)
    VALUES ('turn_a', 'cli:a', 1, 'msg_a', 'alice', now())`)
  await world.sql(`INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at)
    VALUES ('plan_a', 'cli:a', 'turn_a', 1, 'x', now())`)
})
afterEach(() => world[Symbol.asyncDispose]())

const select = async (about: string, maxCount = 10): Promise<string[]> =>
  (await selectFacts(world.context.database, { about, maxCount })).map((fact) => fact.content)

async function addFact(id: string, content: string): Promise<void> {
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ($1, $2, $3, 'MANUAL', now(), now())`,
    id,
    content,
    normalText(content),
  )
}

describe('the facts of a prompt', () => {
  test('are all there are, oldest first, when they fit', async () => {
    await addFact('fact_1', 'The sky is blue.')
    await addFact('fact_2', 'Water is wet.')
    expect(await select('What about fire?')).toEqual(['The sky is blue.', 'Water is wet.'])
  })

  test('are those that the message is about, however old, then the newest', async () => {
    const run = (sql: string, values: readonly unknown[]): Promise<unknown> => world.sql(sql, ...values)
    await addFact('fact_00', 'Deployments of the warehouse happen on Thursdays.')
    await addFact('fact_000', 'Lagerhäuser stehen in Köln.')
    await fillFacts(run, 1, 500)
    const chosen = await select('When was the WAREHOUSE deployed?')
    expect(chosen).toHaveLength(10)
    expect(chosen).toContain('Deployments of the warehouse happen on Thursdays.')
    expect(chosen.at(-1)).toMatch(/^the server of team 15 /)
    expect(await select('Wo stehen die lagerhäuser?')).toContain('Lagerhäuser stehen in Köln.')
  })

  test('are live, and have the words that they have now', async () => {
    await addFact('fact_00', 'The mascot is a walrus.')
    await fillFacts((sql, values) => world.sql(sql, ...values), 1, 50)
    expect(await select('Which mascot?')).toContain('The mascot is a walrus.')
    await world.sql(`UPDATE facts SET content = 'The emblem is a walrus.' WHERE id = 'fact_00'`)
    expect(await select('Which mascot?')).not.toContain('The emblem is a walrus.')
    expect(await select('Which emblem?')).toContain('The emblem is a walrus.')
    await world.sql(`UPDATE facts SET invalidated_at = now() WHERE id = 'fact_00'`)
    expect(await select('Which emblem?')).not.toContain('The emblem is a walrus.')
    await world.sql(`UPDATE facts SET invalidated_at = NULL WHERE id = 'fact_00'`)
    expect(await select('Which emblem?')).toContain('The emblem is a walrus.')
  })

  test('are bounded in characters; one that is too long does not keep out the others', async () => {
    await addFact('fact_1', 'short one')
    await addFact('fact_2', `long ${'x'.repeat(20_000)}`)
    for (let n = 3; n <= 9; n += 1) await addFact(`fact_${n}`, `${n} ${'y'.repeat(4000)}`)
    const chosen = await select('long')
    expect(chosen).toContain('short one')
    expect(chosen.join('').length).toBeLessThanOrEqual(16_000)
    expect(chosen).toHaveLength(4)
  })

  test.each(['', ' ', '!!', "' OR 1=1 --", '%_\\', 'a'.repeat(100_000), '漢字だけ', '\u{1f600}'.repeat(5000)])(
    'whatever the message is: %j',
    async (about) => {
      await addFact('fact_1', 'The sky is blue.')
      expect(await select(about)).toEqual(['The sky is blue.'])
    },
  )
})
