/** A session's own model and instructions: who may set them, what they hold for, and where they do not. */
import { beforeEach, expect, test } from 'vitest'
import type { ApiClient } from '../harness/api-client.ts'
import { converse, storyConfig } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import type { StubCall } from '../model/stub-endpoint.ts'
import {
  ForkSessionDocument,
  OpenSessionDocument,
  OwnModelDocument,
  UpdateSessionDocument,
  type UpdateSessionInput,
} from '../generated/graphql.ts'

const world = useStubStory()
beforeEach(() => {
  world.stub.calls.length = 0
})

async function update(client: ApiClient, input: UpdateSessionInput): Promise<string> {
  return (await client.run(UpdateSessionDocument, { input })).updateSession.__typename
}

const calls = (role: StubCall['role']): StubCall[] => world.stub.calls.filter((call) => call.role === role)
const POLITE = 'Answer in rhymes.'

test('who plans and who answers works with them, from the next turn on; the others keep theirs', async () => {
  const ben = world.story.as('ben')
  await ben.run(OpenSessionDocument, {
    input: { id: '@ben:own', model: 'stub:larger', instructions: POLITE, mode: 'PLAN' },
  })
  await converse(ben, '@ben:own', 'Hi')
  expect(calls('planner')).toMatchObject([{ model: 'larger', system: expect.stringContaining(POLITE) }])
  const [planner] = calls('planner')
  // The rules that nothing changes come last.
  expect(planner?.system.indexOf(POLITE)).toBeLessThan(planner?.system.indexOf('# Rules that always hold') ?? -1)
  expect(calls('reviewer')).toMatchObject([{ model: 'stub-1', system: expect.not.stringContaining(POLITE) }])

  await update(ben, { id: '@ben:own', mode: 'CHAT' })
  await converse(ben, '@ben:own', 'Hi')
  // The last call without a schema is the assistant's.
  expect(calls('messenger').at(-1)).toMatchObject({
    model: 'larger',
    system: expect.stringMatching(/^# You are the assistant[^]*Answer in rhymes\./),
  })

  world.stub.calls.length = 0
  expect(await update(ben, { id: '@ben:own', mode: 'PLAN', model: null, instructions: null })).toBe(
    'UpdateSessionPayload',
  )
  await converse(ben, '@ben:own', 'Hi')
  expect(calls('planner')).toMatchObject([{ model: 'stub-1', system: expect.not.stringContaining(POLITE) }])
})

test('they are for who opened the session and admins, of providers that are configured, and within bounds', async () => {
  const ben = world.story.as('ben')
  await ben.run(OpenSessionDocument, { input: { id: '@ben:rights', participants: ['cleo'] } })
  const id = '@ben:rights'
  expect(await update(world.story.as('cleo'), { id, model: 'stub:larger' })).toBe('ConflictRefusal')
  expect(await update(world.story.as('cleo'), { id, instructions: POLITE })).toBe('ConflictRefusal')
  expect(await update(world.story.as('ada'), { id, model: 'stub:larger' })).toBe('UpdateSessionPayload')
  for (const model of ['elsewhere:larger', 'stub:', '', 'x'.repeat(201)])
    expect(await update(ben, { id, model })).toBe('InvalidInputRefusal')
  expect(await update(ben, { id, instructions: 'x'.repeat(8001) })).toBe('InvalidInputRefusal')
  const { session } = await world.story.as('cleo').run(OwnModelDocument, { id })
  expect(session).toEqual({ model: 'stub:larger', instructions: null })
})

test('what no admin wrote does not direct the turns of admins', async () => {
  const ada = world.story.as('ada')
  await world.story.as('ben').run(OpenSessionDocument, { input: { id: '@ben:with-ada', instructions: POLITE } })
  await ada.run(OpenSessionDocument, { input: { id: '@ben:with-ada', participants: ['ada'] } })
  await converse(ada, '@ben:with-ada', 'Hi')
  expect(calls('planner')).toMatchObject([{ system: expect.not.stringContaining(POLITE) }])
  // She makes them her own, word for word; that he gives them again takes nothing away.
  await update(ada, { id: '@ben:with-ada', instructions: POLITE })
  await update(world.story.as('ben'), { id: '@ben:with-ada', instructions: POLITE })
  await converse(ada, '@ben:with-ada', 'Hi')
  expect(calls('planner').at(-1)).toMatchObject({ system: expect.stringContaining(POLITE) })
})

test('a model whose provider is gone from the configuration stops nothing', async () => {
  const ben = world.story.as('ben')
  await world.story.reconfigure(
    storyConfig({ toml: `${stubProvider(world.stub)}[providers.other]\nbase_url = "${world.stub.baseUrl}"\n` }),
  )
  await ben.run(OpenSessionDocument, { input: { id: '@ben:gone', model: 'other:larger' } })
  await converse(ben, '@ben:gone', 'Hi')
  expect(calls('planner')).toMatchObject([{ model: 'larger' }])
  await world.story.reconfigure(storyConfig({ toml: stubProvider(world.stub) }))
  await converse(ben, '@ben:gone', 'Hi')
  expect(calls('planner').at(-1)).toMatchObject({ model: 'stub-1' })
})

test('a copy has the instructions with who wrote them', async () => {
  const ada = world.story.as('ada')
  for (const [id, author] of [
    ['@ben:by-ada', ada],
    ['@ben:by-ben', world.story.as('ben')],
  ] as const) {
    await world.story.as('ben').run(OpenSessionDocument, { input: { id } })
    await update(author, { id, instructions: POLITE })
    const { forkSession } = await ada.run(ForkSessionDocument, { input: { sessionId: id } })
    if (forkSession.__typename !== 'ForkSessionPayload') throw new Error(forkSession.problem)
    await converse(ada, forkSession.session.id, 'Hi')
  }
  const [byAdmin, byUser] = calls('planner')
  expect(byAdmin?.system).toContain(POLITE)
  expect(byUser?.system).not.toContain(POLITE)
})
