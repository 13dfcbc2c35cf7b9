/** Which facts a prompt gets, and what a new learning is recognised to repeat. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { normalText } from '../../src/core/text/normal-text.ts'
import { selectFacts } from '../../src/knowledge/select-facts.ts'
import { UNKNOWN_TEACHER } from '../../src/store/knowledge/vouched-facts.ts'
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
  test('of an admin are what this admin taught, made or reviewed, also when that is gone with its session', async () => {
    const learned = `INSERT INTO learnings (id, session_id, user_name, content, norm, fact_id, status, created_at)
      VALUES ($1, 'cli:a', $2, 'x', 'x', $3, 'PROMOTED', now())`
    const versioned = `INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, at)
      SELECT id, 1, content, norm, $2::fact_change, $3, now() FROM facts WHERE id = $1`
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await addFact(`fact_${n}`, `The billing service of Port ${n} listens.`)
    await world.sql(learned, 'learn_1', 'alice', 'fact_1')
    await world.sql(learned, 'learn_2', 'alice', 'fact_2')
    await world.sql(learned, 'learn_3', 'bob', 'fact_2')
    await world.sql(learned, 'learn_4', 'bob', 'fact_3')
    // Who taught the fourth is not known; a person made the fifth, the server moved the sixth and changed the last.
    await world.sql(versioned, 'fact_5', 'CREATED', 'bob')
    await world.sql(versioned, 'fact_6', 'SCOPED', 'server')
    await world.sql(versioned, 'fact_7', 'CREATED', 'bob')
    await world.sql(`UPDATE facts SET content = 'The billing service of another port listens.' WHERE id = 'fact_7'`)
    const shown = async (...teachers: string[]) =>
      (
        await selectFacts(world.context.database, {
          about: 'Where does the billing service listen?',
          maxCount: 9,
          teachers,
        })
      )
        .map(({ id }) => id)
        .toSorted()
    const check = async () => {
      expect(await shown('alice')).toEqual(['fact_1', 'fact_5'])
      expect(await shown('bob')).toEqual(['fact_3', 'fact_5'])
      expect(await shown('alice', UNKNOWN_TEACHER)).toEqual(['fact_1', 'fact_4', 'fact_5', 'fact_6', 'fact_7'])
    }
    await check()
    await world.sql(`DELETE FROM sessions WHERE id = 'cli:a'`)
    expect(await world.sql('SELECT 1 FROM learnings')).toEqual([])
    await check()
  })

  test('are those that the message is about, however old, and no others', async () => {
    const run = (sql: string, values: readonly unknown[]): Promise<unknown> => world.sql(sql, ...values)
    await addFact('fact_00', 'Deployments of the warehouse happen on Thursdays.')
    await addFact('fact_000', 'Lagerhäuser stehen in Köln.')
    await fillFacts(run, 1, 500)
    expect(await select('When was the WAREHOUSE deployed?')).toEqual([
      'Deployments of the warehouse happen on Thursdays.',
    ])
    expect(await select('Wo steht das lagerhaus?')).toEqual(['Lagerhäuser stehen in Köln.'])
    expect(await select('What is the colour of the sky?')).toEqual([])
    // Every fact has the word: it tells none from another.
    expect(await select('Is there a server?')).toEqual([])
  })

  test('come best first, at most so many', async () => {
    await addFact('fact_1', 'The billing service of Aurora listens on port 8080.')
    await addFact('fact_2', 'The billing service of Borea listens on port 8081.')
    await addFact('fact_3', 'Karl likes tea.')
    expect(await select('Where does the billing of Borea listen?')).toEqual([
      'The billing service of Borea listens on port 8081.',
      'The billing service of Aurora listens on port 8080.',
    ])
    expect(await select('Where does the billing of Borea listen?', 1)).toHaveLength(1)
  })

  test.each([
    ['Which billing srvice has Aurroa?', 'The billing service of Aurora listens on port 8080.'],
    ['what about port 8080', 'The billing service of Aurora listens on port 8080.'],
    ['api-gw?', 'Version 1.2.3 of api-gw is the last one.'],
    ['is 1.2.3 out', 'Version 1.2.3 of api-gw is the last one.'],
    ['東京の倉庫はどこですか', '倉庫は東京にあります。'],
    ['仓库在哪里', '仓库在上海。'],
    ['โกดังอยู่ที่ไหน', 'โกดังอยู่ที่กรุงเทพ'],
    ['Кто отвечает за склады?', 'За склад отвечает Ольга.'],
    ['Où sont hébergés les serveurs ?', 'Le serveur est hébergé à Lyon.'],
    ['주차장이 어디예요', '주차장은 건물 뒤에 있습니다.'],
    ['Kosten der Reise', 'Reisekostenabrechnungen bekommt Frau Özdemir.'],
  ])('are found in other forms, misspelt and in any script: %s', async (about, content) => {
    await addFact('fact_1', 'The billing service of Aurora listens on port 8080.')
    await addFact('fact_2', 'Version 1.2.3 of api-gw is the last one.')
    await addFact('fact_3', '倉庫は東京にあります。')
    await addFact('fact_4', '仓库在上海。')
    await addFact('fact_5', 'โกดังอยู่ที่กรุงเทพ')
    await addFact('fact_6', 'За склад отвечает Ольга.')
    await addFact('fact_7', 'Le serveur est hébergé à Lyon.')
    await addFact('fact_8', '주차장은 건물 뒤에 있습니다.')
    await addFact('fact_9', 'Reisekostenabrechnungen bekommt Frau Özdemir.')
    expect((await select(about))[0]).toBe(content)
  })

  test('are none for a word that merely begins like a short one', async () => {
    await addFact('fact_00', 'The logo may not stand on red.')
    await fillFacts((sql, values) => world.sql(sql, ...values), 1, 50)
    expect(await select('Is it required?')).toEqual([])
    expect(await select('Is it redd?')).toEqual(['The logo may not stand on red.'])
  })

  test('are none for signs of a pattern', async () => {
    await addFact('fact_00', 'A walrus.')
    await fillFacts((sql, values) => world.sql(sql, ...values), 1, 50)
    for (const about of ['w%%%%s', 'w____s']) expect([about, await select(about)]).toEqual([about, []])
    expect(await select('walr')).toEqual(['A walrus.'])
  })

  test('are about the question behind what is pasted before it', async () => {
    await addFact('fact_00', 'The bastion listens on port 2222.')
    await fillFacts((sql, values) => world.sql(sql, ...values), 1, 50)
    const pasted = 'at Object.run (server.ts) '.repeat(400)
    expect(await select(`${pasted} Where does the bastion listen?`)).toEqual(['The bastion listens on port 2222.'])
    expect(await select(`Where does the bastion listen? ${pasted}`)).toEqual(['The bastion listens on port 2222.'])
  })

  test('are about what the message refers to', async () => {
    await addFact('fact_1', 'The billing service of Aurora listens on port 8080.')
    await addFact('fact_2', 'The billing service of Borea listens on port 8081.')
    const { database } = world.context
    const query = { about: 'On which port does it listen?', before: ['I look at Borea.'], maxCount: 10 }
    expect((await selectFacts(database, query))[0]?.id).toBe('fact_2')
  })

  test('are live, and have the words that they have now, in the same transaction', async () => {
    await addFact('fact_00', 'The mascot is a walrus.')
    await fillFacts((sql, values) => world.sql(sql, ...values), 1, 50)
    expect(await select('Which mascot?')).toEqual(['The mascot is a walrus.'])
    await world.sql(`UPDATE facts SET content = 'The emblem is a walrus.' WHERE id = 'fact_00'`)
    expect(await select('Which mascot?')).toEqual([])
    expect(await select('Which emblem?')).toEqual(['The emblem is a walrus.'])
    await world.sql(`UPDATE facts SET invalidated_at = now() WHERE id = 'fact_00'`)
    expect(await select('Which emblem?')).toEqual([])
    await world.sql(`UPDATE facts SET invalidated_at = NULL WHERE id = 'fact_00'`)
    expect(await select('Which emblem?')).toEqual(['The emblem is a walrus.'])
    await world.sql(`DELETE FROM facts WHERE id = 'fact_00'`)
    expect(await select('Which emblem?')).toEqual([])
  })

  test('are found behind any number of facts that others alone are shown', async () => {
    await addFact('fact_00', 'The pier of Ostend is for ferries.')
    await addFact('fact_01', 'The pier of Bruges is for yachts.')
    await world.sql(`UPDATE facts SET scope = 'USER', scope_of = 'carol' WHERE id = 'fact_01'`)
    for (let from = 0; from < 3000; from += 1000)
      await world.sql(
        `INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at)
         SELECT 'fact_1' || lpad(n::text, 6, '0'), 'A pier of ' || n, n::text, 'MANUAL', 'USER', 'bob', now(), now()
         FROM generate_series($1::int, $1::int + 999) n`,
        from,
      )
    const { database } = world.context
    const seenBy = async (user: string): Promise<string[]> => {
      const reach = ['GLOBAL ', `USER ${user}`]
      const found = await selectFacts(database, { about: 'Which pier is it?', reach, maxCount: 20 })
      return found.map(({ id }) => id)
    }
    expect(await seenBy('carol')).toEqual(['fact_01', 'fact_00'])
    expect(await seenBy('dave')).toEqual(['fact_00'])
    // Among his the word tells none from another.
    expect(await seenBy('bob')).toEqual([])
    // A fact that is shown to others from now on has its words with them.
    await world.sql(`UPDATE facts SET scope_of = 'erin' WHERE id = 'fact_01'`)
    expect(await seenBy('erin')).toEqual(['fact_01', 'fact_00'])
    expect(await seenBy('carol')).toEqual(['fact_00'])
    const [moved] = await world.sql('SELECT DISTINCT scope FROM fact_terms WHERE fact_id = $1', 'fact_01')
    expect(moved).toEqual({ scope: 'USER erin' })
    await world.sql(
      `UPDATE facts SET scope = 'GLOBAL', scope_of = '', content = 'The pier of Bruges.' WHERE id = 'fact_01'`,
    )
    expect(await seenBy('dave')).toEqual(['fact_01', 'fact_00'])
  })

  test('of an admin are found behind hundreds that others taught about the same', async () => {
    const others = (id: string, content: string, count: number) =>
      world.sql(
        `INSERT INTO facts (id, content, norm, source, taught_by, created_at, updated_at)
         SELECT $1 || lpad(n::text, 6, '0'), $2 || n, $1 || n, 'CURATOR', '{bob}', now(), now()
         FROM generate_series(1, $3::int) n`,
        id,
        content,
        count,
      )
    await addFact('fact_00', 'The pier of Ostend is for ferries.')
    await world.sql(`UPDATE facts SET reviewed_at = now() WHERE id = 'fact_00'`)
    await others('fact_1', 'The pier of Ostend has berth ', 400)
    await others('fact_2', 'A rack stands in hall ', 900)
    const asked = { about: 'What is the pier of Ostend for?', maxCount: 10, teachers: ['alice'] }
    const found = await selectFacts(world.context.database, asked)
    expect(found.map(({ id }) => id)).toEqual(['fact_00'])
  })

  test('are counted truly, however many change them at once', async () => {
    const facts = Array.from({ length: 120 }, (_, n) => [`fact_${n}`, `Rack ${n} stands in hall ${n % 7}.`] as const)
    await Promise.all(facts.map(([id, content]) => addFact(id, content)))
    await Promise.all(
      facts
        .slice(0, 60)
        .map(([id], n) =>
          n % 2 === 0
            ? world.sql(`UPDATE facts SET invalidated_at = now() WHERE id = $1`, id)
            : world.sql(`UPDATE facts SET content = 'Gone elsewhere.' WHERE id = $1`, id),
        ),
    )
    await Promise.all(
      facts
        .slice(50, 90)
        .map(([id]) => world.sql(`UPDATE facts SET scope = 'USER', scope_of = 'bob' WHERE id = $1`, id)),
    )
    const counts = await world.sql(`SELECT term, scope, sum(facts)::int AS facts FROM (
        SELECT term, scope, facts FROM fact_term_counts UNION ALL SELECT term, scope, facts FROM fact_term_changes) c
      GROUP BY term, scope HAVING sum(facts) <> 0 ORDER BY term, scope`)
    expect(counts).toEqual(
      await world.sql(
        'SELECT term, scope, count(*)::int AS facts FROM fact_terms GROUP BY term, scope ORDER BY term, scope',
      ),
    )
    const [folded] = await world.sql<{ n: number }>('SELECT count(*)::int AS n FROM fact_term_counts')
    expect(folded?.n).toBeGreaterThan(0)
  })

  test('are bounded in characters; one that is too long does not keep out the others', async () => {
    await addFact('fact_1', 'walrus one')
    await addFact('fact_2', `walrus ${'x'.repeat(20_000)}`)
    for (let n = 3; n <= 9; n += 1) await addFact(`fact_${n}`, `walrus ${n} ${'y'.repeat(2000)}`)
    const chosen = await select('walrus')
    expect(chosen).toContain('walrus one')
    expect(chosen.join('').length).toBeLessThanOrEqual(6000)
    expect(chosen).toHaveLength(3)
  })

  test.each(['', ' ', '!!', "' OR 1=1 --", '%_\\', 'a'.repeat(100_000), '漢字だけ', '\u{1f600}'.repeat(5000)])(
    'none for what is about nothing: %#',
    async (about) => {
      await addFact('fact_1', 'The sky is blue.')
      expect(await select(about)).toEqual([])
    },
  )
})
