/** A turn that failed or was cancelled is tried again: once, as its user, under the rules of any message. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lifeline } from '../harness/lifeline.ts'
import { eventsOf, send, Story, storyConfig, tokenOf, turnEnd, watchAll, type Person } from '../harness/story.ts'
import * as api from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { max_queued: 1 } } })
})
afterAll(() => story[Symbol.asyncDispose]())

type Outcome = api.RetryTurnMutation['retryTurn']
async function retry(turnId: string, person: Person = 'ada'): Promise<Outcome> {
  return (await story.as(person).run(api.RetryTurnDocument, { turnId })).retryTurn
}

function tried(outcome: Outcome): Extract<Outcome, { readonly __typename: 'RetryTurnPayload' }> {
  if (outcome.__typename !== 'RetryTurnPayload') throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return outcome
}

test('a cancelled turn is tried again once, behind what was said since, with the same words and files', async () => {
  await using lifeline = await Lifeline.open()
  const ada = story.as('ada')
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:again' } })
  const put = await fetch(`${story.app.url}/files/cli:again/list.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tokenOf('ada')}` },
    body: 'one',
  })
  expect(put.status).toBe(201)
  const content = `run: [ -e once ] && echo done || { touch once; ${lifeline.hold}; sleep 600; }`
  const attachments = ['list.txt']
  await ada.run(api.SendMessageDocument, { input: { sessionId: 'cli:again', content, attachments } })
  await using watch = watchAll(ada, 'cli:again')
  await lifeline.held
  const running = (await ada.run(api.SessionDocument, { id: 'cli:again' })).session?.activeTurn?.id ?? ''
  expect(await retry(running)).toMatchObject({
    reason: 'NOT_FAILED',
    problem: expect.stringContaining('cancel it first'),
  })
  await ada.run(api.CancelTurnDocument, { sessionId: 'cli:again' })
  const first = (await turnEnd(watch)).turnId ?? ''

  const outcomes = (await Promise.all([retry(first), retry(first), retry(first)])).map(tried)
  const second = outcomes[0]?.turn
  expect(outcomes.map(({ turn }) => turn.id)).toEqual([second?.id, second?.id, second?.id])
  expect(outcomes.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  expect(second).toMatchObject({
    retryOf: { id: first, retriedAs: { id: second?.id } },
    message: { user: 'ada', content, attachments: [{ name: 'list.txt' }] },
  })
  expect(await turnEnd(watch, 2)).toMatchObject({ turnId: second?.id, turnStatus: 'DONE' })
  const { turn } = await ada.run(api.TurnDocument, { id: second?.id ?? '' })
  expect(turn?.tasks).toMatchObject([{ type: 'EXEC', output: 'done\n' }, { type: 'MSG' }])
  expect(eventsOf(watch, 'MessageReceivedEvent')).toHaveLength(2)

  // However late, and whatever became of it.
  expect(await retry(first)).toMatchObject({ duplicate: true, turn: { id: second?.id, status: 'DONE' } })
  expect(await retry(second?.id ?? '')).toMatchObject({ reason: 'NOT_FAILED' })
  const { audit } = await ada.run(api.AuditDocument, { filter: { sessionId: 'cli:again', kind: ['SESSION'] } })
  expect(
    audit?.edges
      .map(({ node }) => node)
      .filter((entry) => 'sessionChange' in entry && entry.sessionChange === 'TURN_RETRIED'),
  ).toMatchObject([{ actor: { name: 'ada' }, turnId: second?.id, sessionDetail: first }])
})

test('its rules are those of messages: whose it is, how many may wait, what was erased, who is known', async () => {
  await using lifeline = await Lifeline.open()
  const [ada, ben, discord] = [story.as('ada'), story.as('ben'), story.as('discord')]
  const id = 'discord:tries'
  await discord.run(api.OpenSessionDocument, {
    input: { id, participants: ['ben', 'cleo'], source: { kind: 'chat', type: 'GROUP' } },
  })
  await send(ada, id, `run: ${lifeline.hold}; sleep 600`)
  const stop = () => ada.run(api.CancelTurnDocument, { sessionId: id })
  await using watch = watchAll(ada, id)
  await using _running = { [Symbol.asyncDispose]: async () => void (await stop()) }
  await lifeline.held
  const { sendMessage } = await discord.run(api.SendMessageDocument, {
    input: { sessionId: id, content: 'And I?', user: 'Ben#1', mentioned: true },
  })
  if (sendMessage.__typename !== 'SendMessagePayload') throw new Error('not accepted')
  const { message } = sendMessage
  const turnId = (await ada.run(api.SessionTurnsDocument, { id })).session?.turns.edges.at(-1)?.node.id ?? ''
  expect(await retry(turnId, 'ben')).toMatchObject({ reason: 'NOT_FAILED' })
  await discord.run(api.WithdrawMessageDocument, { id: message.id })

  expect(await retry(turnId, 'cleo')).toMatchObject({ reason: 'NOT_ALLOWED' })
  expect(await retry(turnId, 'bridge')).toMatchObject({ reason: 'NOT_ALLOWED' })
  expect(await retry('turn_01kbqn2c2ye1yv8b5z3q3x5m7a')).toMatchObject({ __typename: 'NotFoundRefusal' })
  expect(await retry(message.id)).toMatchObject({ __typename: 'NotFoundRefusal' })
  await ada.run(api.RemoveParticipantDocument, { sessionId: id, user: 'ben' })
  expect(await retry(turnId, 'ben')).toMatchObject({ __typename: 'NotFoundRefusal' })
  const { message: other } = await send(ada, id, 'Wait')
  expect(await retry(turnId)).toMatchObject({ __typename: 'LimitExceededRefusal', limit: 1 })
  await ada.run(api.WithdrawMessageDocument, { id: other.id })

  // An admin's and a connector's call bring Ben's own message, and do not bring Ben back.
  const { turn: second } = tried(await retry(turnId, 'discord'))
  expect(second).toMatchObject({ status: 'QUEUED', message: { user: 'ben', content: 'And I?', mentioned: true } })
  expect(await retry(turnId)).toMatchObject({ duplicate: true, turn: { id: second.id } })
  const { session } = await ada.run(api.SessionDocument, { id })
  expect(session?.participants.map(({ name }) => name)).toEqual(['cleo', 'ada'])
  await discord.run(api.WithdrawMessageDocument, { id: second.message.id })

  const config = storyConfig({ settings: { max_queued: 1 } })
  await story.reconfigure(config.replaceAll(/^\[(?:users|tokens)\.ben\]\n(?:[^[].*\n)*/gm, ''))
  expect(await retry(second.id)).toMatchObject({ reason: 'USER_UNKNOWN' })
  await story.reconfigure(config)
  await stop()
  await turnEnd(watch, 4)
  await ada.run(api.EraseUserDocument, { input: { sessionId: id, user: 'ben' } })
  expect(await retry(second.id)).toMatchObject({ reason: 'NOTHING_TO_DO' })
  expect(await ben.run(api.RetryTurnDocument, { turnId: second.id })).toMatchObject({
    retryTurn: { __typename: 'NotFoundRefusal' },
  })
})

test('a connector that names a user has the rights of that user in its sessions, and the audit names them', async () => {
  const [ada, ben, discord] = [story.as('ada'), story.as('ben'), story.as('discord')]
  const sessionId = 'discord:named'
  await ada.run(api.LinkIdentityDocument, { input: { user: 'cleo', connector: 'discord', identity: 'Cleo#2' } })
  const source = { kind: 'chat', type: 'GROUP' } as const
  await discord.run(api.OpenSessionDocument, { input: { id: sessionId, participants: ['ben'], source } })
  const say = async (content: string): Promise<string> => {
    const input = { sessionId, content, user: 'Ben#1', mentioned: true }
    const { sendMessage } = await discord.run(api.SendMessageDocument, { input })
    return 'message' in sendMessage ? sendMessage.message.id : ''
  }
  await using watch = watchAll(ada, sessionId)
  const stop = () => ada.run(api.CancelTurnDocument, { sessionId })
  await using _running = { [Symbol.asyncDispose]: async () => void (await stop()) }
  await say('run: sleep 600')
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING',
  )
  const id = await say('and then')

  const edit = async (user: string, client = discord) =>
    (await client.run(api.EditQueuedMessageDocument, { id, content: 'and now', user })).editQueuedMessage
  const withdraw = async (user: string) =>
    (await discord.run(api.WithdrawMessageDocument, { id, user })).withdrawMessage
  const cancel = async (user: string) => (await discord.run(api.CancelTurnDocument, { sessionId, user })).cancelTurn
  const again = async (turnId: string, user: string) =>
    (await discord.run(api.RetryTurnDocument, { turnId, user })).retryTurn

  for (const act of [edit, withdraw, cancel]) {
    expect(await act('Mallory')).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
    expect(await act('Cleo#2')).toMatchObject({ __typename: 'NotFoundRefusal' })
  }
  await discord.run(api.AddParticipantDocument, { sessionId, user: 'cleo' })
  for (const act of [edit, withdraw]) expect(await act('Cleo#2')).toMatchObject({ reason: 'NOT_ALLOWED' })
  expect(await edit('cleo', ben)).toMatchObject({ __typename: 'InvalidInputRefusal' })
  expect(await edit('Ben#1')).toMatchObject({ message: { content: 'and now' } })
  expect(await withdraw('Ben#1')).toMatchObject({ message: { status: 'CANCELLED' } })
  expect(await cancel('Cleo#2')).toMatchObject({ __typename: 'CancelTurnPayload' })
  // That of the message that was withdrawn ended first.
  const turnId = (await turnEnd(watch, 2)).turnId ?? ''
  expect(await again(turnId, 'Cleo#2')).toMatchObject({ reason: 'NOT_ALLOWED' })
  expect(await again(turnId, 'Ben#1')).toMatchObject({ turn: { retryOf: { id: turnId } } })
  expect(await cancel('Ben#1')).toMatchObject({ __typename: 'CancelTurnPayload' })
  await turnEnd(watch, 3)

  const { audit } = await ada.run(api.AuditDocument, { filter: { sessionId, kind: ['SESSION'] } })
  const acts = audit?.edges.map(({ node }) => node).filter((entry) => 'sessionChange' in entry)
  expect(acts?.map(({ actor, tokenName, sessionChange }) => [actor.name, tokenName, sessionChange])).toEqual(
    expect.arrayContaining([
      ['ben', 'discord', 'MESSAGE_EDITED'],
      ['ben', 'discord', 'MESSAGE_WITHDRAWN'],
      ['cleo', 'discord', 'TURN_CANCELLED'],
      ['ben', 'discord', 'TURN_RETRIED'],
    ]),
  )
})
