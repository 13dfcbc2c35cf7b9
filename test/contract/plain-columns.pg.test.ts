/**
 * Rows of which columns alone are asked for are read by a statement of ours, all others by Prisma: every value is the
 * same, and so is who sees it.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getNullableType, isLeafType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selectList } from '../../src/graphql/schema/paging/plain-columns.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedSession } from './seed.ts'

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
  const { database } = it.world.context
  // With a description its title is a column, too.
  const session = { id: 'cli:plain', description: 'A plain one', participants: ['alice', 'bob'] }
  await seedSession(database, { ...session, messages: 5, newestTurn: 'RUNNING' })
  const call = `UPDATE messages SET call = '{"tool": "a__b", "args": {"n": [1.5, null]}}', attachments = '{a.txt}' WHERE seq > 1`
  await database.query({ name: '', text: call }, [])
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

/** The fields of a type that are single values, without arguments. */
function leavesOf(typeName: string): string {
  const type = buildSchema().getType(typeName)
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`)
  const leaves = Object.values(type.getFields()).filter(
    (field) => field.args.length === 0 && isLeafType(getNullableType(field.type)),
  )
  return leaves.map(({ name }) => name).join(' ')
}

async function ask(who: TokenName, document: string): Promise<{ answer: unknown; statements: string[] }> {
  let answer: unknown
  const statements = await recordStatements(async () => {
    answer = await it.run(who, document)
  })
  return { answer, statements }
}

test.each([
  ['Message', 'messages', 'session { id }'],
  ['Turn', 'turns', 'message { id }'],
  ['Turn', 'turns', 'message { id }', 'answer { content }'],
])('a page of %s shows the same by a statement of ours and by Prisma', async (...row) => {
  const [typeName, field, relation, ofColumns = ''] = row
  const document = (more: string): string =>
    `{ session(id: "cli:plain") { ${field}(first: 3) { edges { cursor node { ${leavesOf(typeName)} ${ofColumns} ${more} } } pageInfo { endCursor } } } }`
  const plain = await ask('bob', document(''))
  const byPrisma = await ask('bob', document(`more: ${relation}`))
  expect(plain.answer).toMatchObject({ codes: [], data: { session: { [field]: { edges: [{}, {}, {}] } } } })
  expect(withoutMore(byPrisma.answer)).toEqual(plain.answer)
  expect(plain.statements.length).toBeLessThan(byPrisma.statements.length)
})

test('columns are called as prisma/schema.prisma maps them', async () => {
  const schema = await readFile(join(import.meta.dirname, '../../prisma/schema.prisma'), 'utf8')
  const mapped = [...schema.matchAll(/^ +(\w+) .*@map\("(\w+)"\)/gm)]
  expect(mapped.length).toBeGreaterThan(100)
  for (const [, name = '', column] of mapped) expect(selectList([name])).toBe(`${column} AS "${name}"`)
})

test('a session shows the same to the same viewers by a statement of ours and by Prisma', async () => {
  const document = (more: string): string => `{ session(id: "cli:plain") { ${leavesOf('Session')} ${more} } }`
  for (const who of ['alice', 'bob', 'carol'] as const) {
    const plain = await ask(who, document(''))
    expect(plain.statements).toHaveLength(1)
    const byPrisma = await ask(who, document('more: participants { name }'))
    expect(withoutMore(byPrisma.answer)).toEqual(plain.answer)
  }
})

test('a session of which no column is asked for is there for those who see it', async () => {
  const document = '{ session(id: "cli:plain") { __typename } }'
  expect((await ask('bob', document)).answer).toMatchObject({ codes: [], data: { session: { __typename: 'Session' } } })
  expect((await ask('carol', document)).answer).toMatchObject({ data: { session: null } })
})

function withoutMore(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value: unknown) => (key === 'more' ? undefined : value)) as unknown
}
