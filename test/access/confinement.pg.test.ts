/**
 * Whatever a stranger asks, with whatever ids and arguments: nothing of the session is in the answer, and nothing of it
 * is changed. A stranger is a connector of another namespace, or a user who does not take part; both have a session of
 * their own, so that much of what they ask is allowed.
 */
import fc from 'fast-check'
import { getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { idKind, newId } from '../../src/platform/id.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { must } from '../../src/platform/must.ts'
import { idKindOf, inputObject, leafValue, list, operationFor, type Choose } from './documents-of-schema.ts'
import { OUTSIDE_NAMESPACE, PeopleWorld } from './people-world.ts'

const schema = buildSchema()
const FIELDS = ['Query', 'Mutation', 'Subscription']
  .flatMap((name) => {
    const type = schema.getType(name)
    return isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${name}.${field}`) : []
  })
  // They are allowed, say nothing to who sees nothing, and do not end.
  .filter((field) => !/^Subscription\.(session|approval|schedule|server)Updates$/.test(field))

let world: PeopleWorld
/** Of their own things. */
const own: Record<Stranger, string[]> = { outside: [], other: [] }
/** Cursors of lists that the session's things stand in. */
const cursors: string[] = []

beforeAll(async () => {
  world = await PeopleWorld.begin()
  // Facts are everybody's: a user with a turn that was shown one may read it.
  await world.database.query({ name: '', text: 'UPDATE facts SET invalidated_at = now()' }, [])
  await furnish('outside', [`${OUTSIDE_NAMESPACE}:own`, `${OUTSIDE_NAMESPACE}:more`])
  await furnish('other', ['@cleo:own', '@cleo:more'])
  for (const list of ['sessions', 'tasks', 'approvals', 'schedules', 'facts', 'learnings', 'audit']) {
    const { body } = await world.ask('admin', `{ ${list} { pageInfo { startCursor endCursor } } }`)
    cursors.push(...[...body.matchAll(/Cursor":"([^"]+)"/g)].map(([, cursor = '']) => cursor))
  }
})
afterAll(() => world[Symbol.asyncDispose]())

type Stranger = 'outside' | 'other'

/** Opens sessions in which something was said. */
async function furnish(caller: Stranger, sessionIds: readonly string[]): Promise<void> {
  const sender = caller === 'outside' ? ', user: "somebody"' : ''
  for (const id of sessionIds) {
    const { body } = await world.ask(caller, send(id, sender))
    own[caller].push(id, ...[...body.matchAll(/"id":"([^"]+)"/g)].map(([, found = '']) => found))
  }
}

function send(sessionId: string, sender: string): string {
  return `mutation { sendMessage(input: {sessionId: "${sessionId}", content: "Hello"${sender}}) { ... on SendMessagePayload { message { id turn { id } } } } }`
}

const ODD = [newId('task'), '', '%', 'discord:', '\u0000']
/** By input field, where anything else would be refused. */
const WORDS: Readonly<Record<string, readonly string[]>> = { cron: ['0 9 * * *'], timeZone: ['UTC'], kind: ['web'] }

/** Chooses arguments by numbers: any of what fits the type, and of what does not. */
function chooseBy(numbers: readonly number[], caller: Stranger): Choose {
  let at = 0
  const pick = <Item>(items: readonly Item[]): Item => {
    const number = numbers[at % numbers.length] ?? 0
    at += 1
    return must(items[number % items.length] ?? null, 'an item')
  }
  /** Mostly of the kind that is asked for, theirs and the stranger's own. */
  const idsFor = (place: string): readonly string[] => {
    const kind = idKindOf(place) ?? 'session'
    const hidden = world.ids[kind]
    // Who follows a session of their own is answered without end.
    if (place.startsWith('Subscription.')) return [hidden, ...Object.values(world.ids)]
    const mine = own[caller].filter((id) => idKind(id) === idKind(hidden))
    return [hidden, hidden, ...mine, ...mine, pick(Object.values(world.ids)), pick(own[caller]), pick(ODD)]
  }
  const wordsFor = (place: string): readonly string[] => {
    if (/\.(user|participant)$|\(user\)$|\.participants$/.test(place))
      return caller === 'outside' ? ['somebody', 'ben', 'ben'] : ['cleo', 'cleo', 'ben']
    if (place.endsWith('.search')) return [world.canary, world.canary.slice(0, 6), ...Object.values(world.ids)]
    if (/\((after|before)\)$/.test(place)) return cursors
    return WORDS[place.split('.').at(-1) ?? ''] ?? ['Hello', '%', '_']
  }
  const choose: Choose = (type, place) => {
    const named = getNamedType(type)
    // What would be refused whatever else is asked.
    if (place.endsWith('.webhook') || place.endsWith('.runAt')) return null
    if (!isNonNullType(type) && pick([0, 1, 2]) === 0) return null
    if (isInputObjectType(named)) return list(type, inputObject(named.getFields(), named.name, choose))
    const isMany = isListType(isNonNullType(type) ? type.ofType : type)
    const value = valueOf(type, place)
    return isMany ? list(type, `${value}, ${valueOf(type, place)}`) : value
  }
  const valueOf = (type: Parameters<Choose>[0], place: string): string => {
    const named = getNamedType(type)
    if (named.name === 'ID') return JSON.stringify(pick(idsFor(place)))
    if (named.name === 'String') return JSON.stringify(pick(wordsFor(place)))
    if (named.name === 'Int') return pick(['1', '2', '50', '-1'])
    if (named.name === 'Boolean') return pick(['true', 'false'])
    return isEnumType(named) ? pick(named.getValues()).name : leafValue(type)
  }
  return choose
}

test.each(['outside', 'other'] as const)('%s: nothing in the answers, nothing changed', async (caller) => {
  const before = await sums()
  const fields = await fieldsOpenTo(caller)
  const asked = { ofOwn: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...fields),
      fc.array(fc.nat({ max: 1000 }), { minLength: 5, maxLength: 20 }),
      async (field, numbers) => {
        const question = operationFor(schema, field, chooseBy(numbers, caller))
        const { body } = await world.ask(caller, question)
        expect(body).not.toMatch(/INTERNAL_SERVER_ERROR|GRAPHQL_/)
        expect(world.leaksIn(body, question)).toEqual([])
        expect(field.startsWith('Mutation.') ? await sums() : before).toEqual(before)
        if (/Payload"/.test(body) || own[caller].some((id) => body.includes(`"id":"${id}"`))) asked.ofOwn += 1
      },
    ),
    { numRuns: 150 },
  )
  // Otherwise all was refused, which proves little.
  expect(asked.ofOwn).toBeGreaterThan(0)
})

/** Those that are not admins' alone: they are refused whatever stands in them. */
async function fieldsOpenTo(caller: Stranger): Promise<readonly string[]> {
  const open: string[] = []
  for (const field of FIELDS) {
    const { body } = await world.ask(caller, operationFor(schema, field, chooseBy([0], caller)))
    if (!body.includes('"FORBIDDEN"')) open.push(field)
  }
  return open
}

/** Of all rows of the session, and of Ben's schedule. */
async function sums(): Promise<unknown> {
  const tables = await world.database.query<{ name: string; of: string }>(
    {
      name: '',
      text: `SELECT format('%I', table_name) AS name, column_name AS of FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'session_id' AND table_name NOT IN ('audit_entries', 'schedule_runs')
        UNION VALUES ('sessions', 'id'), ('schedules', 'id'), ('schedule_runs', 'schedule_id'), ('facts', 'id') ORDER BY 1, 2`,
    },
    [],
  )
  const text = tables.map(
    ({ name, of }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) AS sum FROM ${name} t WHERE ${of} = ANY ($1)`,
  )
  return world.database.query({ name: '', text: text.join(' UNION ALL ') }, [Object.values(world.ids)])
}
