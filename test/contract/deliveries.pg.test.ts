import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/platform/id.ts'
import {
  DeliveriesDocument,
  DeliveryNodeDocument,
  RedeliverAllDocument,
  RedeliverDocument,
  SessionWebhookDocument,
} from '../generated/graphql.ts'
import { createSchemaWorld, type SchemaWorld } from './schema-world.ts'
import { SEEDED_WEBHOOK, seedDelivery } from './seed-delivery.ts'
import { seedSession } from './seed.ts'

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

async function seed(id: string): Promise<string> {
  const { database } = it.world.context
  const { taskIds } = await seedSession(database, { id, participants: ['bob'], messages: 1 })
  return seedDelivery(database, id, taskIds[1] ?? '')
}

describe('who sees a webhook', () => {
  test.each([
    ['alice', SEEDED_WEBHOOK, SEEDED_WEBHOOK],
    ['discord', SEEDED_WEBHOOK, SEEDED_WEBHOOK],
    ['bob', null, 'https://hooks.example/…'],
    ['hub', null, 'https://hooks.example/…'],
  ] as const)('%s', async (who, webhook, url) => {
    const session = `discord:webhook-${who}`
    const id = await seed(session)
    const { data } = await it.run(who, SessionWebhookDocument, { id: session })
    expect(data.session?.webhook).toBe(webhook)
    const tasks = data.session?.tasks.edges.map(({ node }) => node)
    expect(tasks?.find(({ type }) => type === 'MSG')?.deliveries).toEqual([{ id, url, status: 'DEAD' }])
    expect(tasks?.find(({ type }) => type === 'EXEC')?.deliveries).toEqual([])
  })
})

test('deliveries are listed newest first, by state and session, page by page', async () => {
  const ids = [await seed('cli:list-1'), await seed('cli:list-2')]
  const filter = { sessionId: 'cli:list-2', status: ['DEAD' as const] }
  const { data } = await it.run('alice', DeliveriesDocument, { filter })
  expect(data.deliveries.edges.map(({ node }) => node)).toMatchObject([
    {
      id: ids[1],
      url: SEEDED_WEBHOOK,
      attempts: 3,
      lastStatusCode: 500,
      lastError: 'The webhook answered 500.',
      nextAttemptAt: null,
      deliveredAt: null,
      session: { id: 'cli:list-2' },
      task: { output: 'answer 0', final: true },
    },
  ])
  const none = await it.run('alice', DeliveriesDocument, { filter: { ...filter, status: ['PENDING'] } })
  expect(none.data.deliveries.edges).toEqual([])
  const first = await it.run('alice', DeliveriesDocument, { first: 1 })
  const { edges, pageInfo } = first.data.deliveries
  expect(edges[0]?.node.id).toBe(ids[1])
  expect(pageInfo.hasNextPage).toBe(true)
  const second = await it.run('alice', DeliveriesDocument, { first: 1, after: pageInfo.endCursor ?? '' })
  expect(second.data.deliveries.edges[0]?.node.id).toBe(ids[0])
})

test('a delivery is a node, for all who see its session', async () => {
  const id = await seed('discord:node')
  expect((await it.run('bob', DeliveryNodeDocument, { id })).data.node).toMatchObject({ __typename: 'Delivery', id })
  expect((await it.run('carol', DeliveryNodeDocument, { id })).data.node).toBeNull()
})

describe('redeliver', () => {
  test('all that match: those that were given up, of a session, where it has a webhook', async () => {
    const ids = [await seed('cli:all-1'), await seed('cli:all-2'), await seed('cli:all-3')]
    await it.world.sql("UPDATE sessions SET webhook = NULL WHERE id = 'cli:all-3'")
    const all = async (sessionId: string, status: ('DEAD' | 'PENDING')[] | null = null) =>
      (await it.run('alice', RedeliverAllDocument, { filter: { sessionId, status } })).data.redeliverAll
    expect(await all('cli:all-1', ['PENDING'])).toMatchObject({ redelivered: 0 })
    expect(await all('cli:all-1')).toMatchObject({ redelivered: 1 })
    expect(await all('cli:all-1')).toMatchObject({ redelivered: 0 })
    expect(await all('cli:all-3')).toMatchObject({ redelivered: 0 })
    expect(it.woken).toContain('cli:all-1')
    const rows = await it.world.sql('SELECT id, status FROM deliveries WHERE id = ANY ($1) ORDER BY id', ids)
    expect(rows.map(({ status }) => status)).toEqual(['PENDING', 'DEAD', 'DEAD'])
    const entries = await it.world.sql(
      "SELECT actor, data->>'status' AS status FROM audit_entries WHERE kind = 'DELIVERY' AND session_id = 'cli:all-1'",
    )
    expect(entries).toEqual([{ actor: 'alice', status: 'PENDING' }])
  })

  test('makes it due again under the same id, with all its attempts, and wakes its session', async () => {
    const id = await seed('cli:again')
    const { data } = await it.run('alice', RedeliverDocument, { id })
    expect(data.redeliver).toMatchObject({
      __typename: 'RedeliverPayload',
      delivery: { id, status: 'PENDING', attempts: 0, nextAttemptAt: expect.any(String) },
    })
    expect(it.woken).toContain('cli:again')
    const [entry] = await it.world.sql(
      "SELECT actor, token_name, data FROM audit_entries WHERE kind = 'DELIVERY' AND session_id = 'cli:again'",
    )
    expect(entry).toMatchObject({
      actor: 'alice',
      token_name: 'alice',
      data: { deliveryId: id, status: 'PENDING', attempts: 0, url: 'https://hooks.example/…' },
    })
  })

  test('one that pauses for hours is due at once, alone or with all that match, and one under way is left alone', async () => {
    const ids = [await seed('cli:pause-1'), await seed('cli:pause-2'), await seed('cli:pause-3')]
    const wait = (pause: string, id: string | undefined) =>
      it.world.sql(
        `UPDATE deliveries SET status = 'PENDING', attempts = 8, next_attempt_at = now() + $2::interval WHERE id = $1`,
        id,
        pause,
      )
    await wait('8 h', ids[0])
    await wait('8 h', ids[1])
    await wait('9 s', ids[2])
    expect((await it.run('alice', RedeliverDocument, { id: ids[0] ?? '' })).data.redeliver).toMatchObject({
      delivery: { status: 'PENDING', attempts: 0 },
    })
    const all = async (sessionId: string) =>
      (await it.run('alice', RedeliverAllDocument, { filter: { sessionId, status: ['PENDING'] } })).data.redeliverAll
    expect(await all('cli:pause-2')).toMatchObject({ redelivered: 1 })
    expect(await all('cli:pause-2')).toMatchObject({ redelivered: 0 })
    expect(await all('cli:pause-3')).toMatchObject({ redelivered: 0 })
    const rows = await it.world.sql<{ attempts: number; due: boolean }>(
      'SELECT attempts, next_attempt_at <= now() AS due FROM deliveries WHERE id = ANY ($1) ORDER BY seq',
      ids,
    )
    expect(rows).toEqual([
      { attempts: 0, due: true },
      { attempts: 0, due: true },
      { attempts: 8, due: false },
    ])
    expect(it.woken).toEqual(expect.arrayContaining(['cli:pause-1', 'cli:pause-2']))
  })

  test.each([
    ['HTTPS', 'HTTPS://hooks.example/services/secret?key=hush'],
    ['backslash', String.raw`https:\\hooks.example\secret?key=hush`],
    ['slash', 'https:/hooks.example/secret?key=hush'],
    ['space', ' https://hooks.example/secret?key=hush'],
    ['back', String.raw`https://hooks.example\secret?key=hush`],
  ])('tells the audit nothing of the path, however the webhook is spelled: %s', async (name, webhook) => {
    const session = `cli:spelled-${name.toLowerCase()}`
    const id = await seed(session)
    await it.world.sql('UPDATE sessions SET webhook = $1 WHERE id = $2', webhook, session)
    await it.run('alice', RedeliverDocument, { id })
    await it.world.sql("UPDATE deliveries SET status = 'DEAD' WHERE id = $1", id)
    await it.run('alice', RedeliverAllDocument, { filter: { sessionId: session } })
    const entries = await it.world.sql<{ url: string }>(
      "SELECT data->>'url' AS url FROM audit_entries WHERE kind = 'DELIVERY' AND session_id = $1",
      session,
    )
    expect(entries).toHaveLength(2)
    for (const { url } of entries) expect(url).toMatch(/^((HTTPS|https):\/\/hooks\.example\/)?…$/)
  })

  test('is refused while it is still attempted, for what is not there, and without a webhook', async () => {
    const id = await seed('cli:refused')
    await it.run('alice', RedeliverDocument, { id })
    const twice = await it.run('alice', RedeliverDocument, { id })
    expect(twice.data.redeliver).toMatchObject({
      code: 'CONFLICT',
      problem: expect.stringContaining('still being attempted'),
    })
    const absent = await it.run('alice', RedeliverDocument, { id: newId('delivery') })
    expect(absent.data.redeliver).toMatchObject({ code: 'NOT_FOUND' })
    const strange = await it.run('alice', RedeliverDocument, { id: 'dlv_\0' })
    expect(strange.data.redeliver).toMatchObject({ code: 'NOT_FOUND' })
    const gone = await seed('cli:gone')
    await it.world.sql("UPDATE sessions SET webhook = NULL WHERE id = 'cli:gone'")
    const without = await it.run('alice', RedeliverDocument, { id: gone })
    expect(without.data.redeliver).toMatchObject({
      code: 'CONFLICT',
      problem: expect.stringContaining('has no webhook'),
    })
  })
})
