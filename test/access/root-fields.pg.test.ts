/**
 * What a caller who may not see a thing is answered: exactly what they would be answered if there were no such thing,
 * byte by byte, whatever they ask; and nothing is changed. Every field of Query, Mutation and Subscription, made from
 * the schema.
 */
import { isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { idKind, newId } from '../../src/platform/id.ts'
import { operationFor, plainValues, type Ids } from './documents-of-schema.ts'
import { PeopleWorld, type Answer, type Caller } from './people-world.ts'

const schema = buildSchema()
const FIELDS = ['Query', 'Mutation', 'Subscription'].flatMap((name) => {
  const type = schema.getType(name)
  return isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${name}.${field}`) : []
})

let world: PeopleWorld
beforeAll(async () => {
  world = await PeopleWorld.begin()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Ids of the same kinds that nothing has. Made once, so that they sort like those of new things. */
function absentIds(ids: Ids): Ids {
  const twins = Object.entries(ids).map(([name, id]) => {
    const kind = idKind(id)
    return [name, kind === null ? id.replace('examples', 'nothing!').replace('!', 's') : newId(kind)] as const
  })
  return Object.fromEntries(twins) as Ids
}

async function askAbout(ids: Ids, field: string, caller: Caller): Promise<Answer & { readonly question: string }> {
  const isConnector = caller === 'within' || caller === 'outside'
  const question = operationFor(schema, field, plainValues({ ids, isConnector }))
  return { question, ...(await world.ask(caller, question)) }
}

/** The answer to the same question about things that are not there, as if it were about those that are. */
async function askAboutNothing(field: string, caller: Caller): Promise<Answer> {
  const absent = absentIds(world.ids)
  const { status, body } = await askAbout(absent, field, caller)
  const names = Object.keys(absent) as (keyof Ids)[]
  return { status, body: names.reduce((text, name) => text.replaceAll(absent[name], world.ids[name]), body) }
}

/** What anybody may make for themselves, whatever there is of others. */
const MAKES = new Set(['Mutation.createSchedule', 'Mutation.createLinkCode'])
/** Say nothing to a caller who may see nothing; what they say to others is in test/stories/people.pg.test.ts. */
const SILENT = new Set([
  'Subscription.sessionUpdates',
  'Subscription.approvalUpdates',
  'Subscription.scheduleUpdates',
  'Subscription.serverUpdates',
])

test.each(['nobody', 'revoked'] as const)('%s is told to send a token, whatever is asked', async (caller) => {
  const before = await world.fingerprint()
  for (const field of FIELDS) {
    const { status, body } = await askAbout(world.ids, field, caller)
    expect([field, status, body]).toEqual([field, 401, expect.stringContaining('"UNAUTHENTICATED"')])
    expect({ status, body }).toEqual(await askAboutNothing(field, caller))
  }
  expect(await world.fingerprint()).toBe(before)
})

const STRANGERS = ['other', 'outside'] as const
const questions = FIELDS.filter((field) => !SILENT.has(field)).flatMap((field) =>
  STRANGERS.filter((caller) => caller === 'outside' || !MAKES.has(field)).map((caller) => [field, caller] as const),
)

test.each(questions)('%s: %s cannot tell that the session is there, nor change it', async (field, caller) => {
  const changes = field.startsWith('Mutation.')
  const before = changes ? await world.fingerprint() : ''
  const { question, status, body } = await askAbout(world.ids, field, caller)
  expect([status, body]).toEqual([200, expect.not.stringMatching(BROKEN)])
  expect(world.leaksIn(body, question)).toEqual([])
  expect(changes ? await world.fingerprint() : '').toBe(before)
  expect({ status, body }).toEqual(await askAboutNothing(field, caller))
})

const BROKEN = /INTERNAL_SERVER_ERROR|GRAPHQL_|BAD_USER_INPUT|TOO_COMPLEX|DATABASE_UN|RATE_LIMITED/

test.each([...MAKES])('%s: what a caller makes for themselves shows nothing of others', async (field) => {
  const { question, body } = await askAbout(world.ids, field, 'other')
  expect(body).toContain('Payload"')
  expect(world.leaksIn(body, question)).toEqual([])
})

test('what stands in the lists above is in the schema', () => {
  expect([...MAKES, ...SILENT].filter((field) => !FIELDS.includes(field))).toEqual([])
})
