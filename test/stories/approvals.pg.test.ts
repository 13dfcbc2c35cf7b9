/** A user has to agree before a command runs: asking, waiting, deciding, and what becomes of the turn. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalRules, decide, statesIn, untilAsked } from '../harness/approvals.ts'
import { addSkill } from '../harness/skills.ts'
import {
  answersIn,
  eventsOf,
  send,
  Story,
  storyConfig,
  tokenOf,
  turnEnd,
  watchAll,
  watchSessions,
} from '../harness/story.ts'
import {
  ApprovalAuditDocument,
  ApprovalsDocument,
  ApprovalUpdatesDocument,
  CancelTurnDocument,
  DecideApprovalsDocument,
  DeleteSessionDocument,
  SessionsDocument,
  WaitingSessionDocument,
  type ApprovalFieldsFragment,
} from '../generated/graphql.ts'

const RULES = approvalRules('effect = "require"\ncommand = "tee"', 'effect = "deny"\ncommand = "curl"')

/** Asks for `tee`, which needs an approval, once for each word: each is a line of the file `marks`. */
function teeing(marks: string, ...words: string[]): string {
  return [...words.map((word) => `run: echo ${word} | tee -a ${marks}`), 'What happened?'].join('\n')
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES } })
})
afterAll(() => story[Symbol.asyncDispose]())

function only(asked: readonly ApprovalFieldsFragment[]): ApprovalFieldsFragment {
  expect(asked).toHaveLength(1)
  const [approval] = asked
  if (approval === undefined) throw new Error('nothing was asked for')
  return approval
}

test('a command waits for an approval, everybody sees it, and it runs once it is given', async () => {
  const marks = story.path('approve')
  const ada = story.as('ada')
  await using updates = ada.watch(ApprovalUpdatesDocument, {})
  await using list = await watchSessions(ada)
  await send(ada, 'cli:approve', teeing(marks, 'one'))
  await using watch = watchAll(ada, 'cli:approve')
  const approval = only(await untilAsked(watch))
  expect(approval).toMatchObject({ kind: 'TASK', decidedBy: null, scope: null })
  expect(approval.approvalReason).toContain('commands that begin with "tee" need an approval (approval rule 1)')

  const { session } = await ada.run(WaitingSessionDocument, { id: 'cli:approve' })
  expect(session).toMatchObject({
    status: 'AWAITING_APPROVAL',
    activeTurn: {
      status: 'AWAITING_APPROVAL',
      pausedReason: 'It waits until a person approves task 1.',
      tasks: [
        { status: 'AWAITING_APPROVAL', approval: { id: approval.id } },
        { status: 'PENDING', approval: null },
      ],
    },
    pending: [{ id: approval.id }],
  })
  const { sessions } = await ada.run(SessionsDocument, { filter: { status: ['AWAITING_APPROVAL'] } })
  expect(sessions.edges.map(({ node }) => node.id)).toEqual(['cli:approve'])
  const { approvals } = await ada.run(ApprovalsDocument, { filter: { status: ['PENDING'] } })
  expect(approvals.edges.map(({ node }) => node.id)).toEqual([approval.id])
  expect(await linesOf(marks)).toEqual([])
  // The list tells of states, not of changes: this one has to be seen while it lasts.
  await list.until(
    ({ sessionUpdates: { session: one } }) => one?.id === 'cli:approve' && one.status === 'AWAITING_APPROVAL',
  )

  const decided = await decide(ada, { id: approval.id, approve: true, note: 'Go on.' })
  expect(decided).toMatchObject({
    approval: { approvalStatus: 'APPROVED', decidedBy: { name: 'ada' }, scope: 'ONCE', note: 'Go on.' },
  })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await linesOf(marks)).toEqual(['one'])
  expect(await decide(ada, { id: approval.id, approve: false })).toMatchObject({ __typename: 'ConflictRefusal' })
  await list.until(({ sessionUpdates: { session: one } }) => one?.id === 'cli:approve' && one.status === 'IDLE')
  await updates.until(({ approvalUpdates }) => approvalUpdates.approval?.approvalStatus === 'APPROVED')

  const { audit } = await ada.run(ApprovalAuditDocument, { sessionId: 'cli:approve' })
  expect(audit.edges.map(({ node }) => node)).toMatchObject([
    {
      actor: { name: 'ada' },
      tokenName: 'ada',
      approvalStatus: 'APPROVED',
      scope: 'ONCE',
      note: 'Go on.',
      before: null,
    },
    { actor: { name: 'ada' }, approvalStatus: 'PENDING' },
  ])
})

test('what is denied does not run: the planner is told why, and the turn goes on', async () => {
  const marks = story.path('deny')
  const ada = story.as('ada')
  await send(ada, 'cli:deny', teeing(marks, 'one', 'two'))
  await using watch = watchAll(ada, 'cli:deny')
  const [first, second] = await untilAsked(watch, 2)
  await decide(ada, { id: second?.id ?? '', approve: false, note: 'Not on a Saturday.' })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await linesOf(marks)).toEqual([])
  const reviews = eventsOf(watch, 'ReviewEvent')
  expect(reviews).toMatchObject([
    { verdict: 'REPLAN', reason: 'Task 2 was denied by ada. The note says: Not on a Saturday.' },
  ])
  expect(answersIn(watch)[0]).toContain('Not on a Saturday.')
  const { session } = await ada.run(WaitingSessionDocument, { id: 'cli:deny' })
  expect(session).toMatchObject({ status: 'IDLE', pending: [] })
  const states = new Map(session?.approvals.map(({ id, approvalStatus }) => [id, approvalStatus]))
  expect([states.get(first?.id ?? ''), states.get(second?.id ?? '')]).toEqual(['CANCELLED', 'DENIED'])
  const last = new Map(eventsOf(watch, 'TaskUpdateEvent').map(({ task }) => [task.detail, task.status]))
  expect([...last.values()].slice(0, 3).sort()).toEqual(['FAILED', 'SKIPPED', 'SKIPPED'])
})

test('several approvals are open at once, and are decided in any order, in one call or several', async () => {
  const marks = story.path('several')
  const ada = story.as('ada')
  await send(ada, 'cli:several', teeing(marks, 'one', 'two', 'three'))
  await using watch = watchAll(ada, 'cli:several')
  const [one, two, three] = (await untilAsked(watch, 3)).map(({ id }) => id)
  await decide(ada, { id: three ?? '', approve: true })
  const { session } = await ada.run(WaitingSessionDocument, { id: 'cli:several' })
  expect(session).toMatchObject({ status: 'AWAITING_APPROVAL', pending: [{ id: two }, { id: one }] })
  // What expires first comes first, page by page.
  const waiting = { first: 1, oldestFirst: true, filter: { sessionId: 'cli:several', status: ['PENDING' as const] } }
  const { approvals } = await ada.run(ApprovalsDocument, waiting)
  const next = await ada.run(ApprovalsDocument, { ...waiting, after: approvals.pageInfo.endCursor })
  expect([...approvals.edges, ...next.approvals.edges].map(({ node }) => node.id)).toEqual([one, two])
  const { decideApprovals } = await ada.run(DecideApprovalsDocument, {
    inputs: [
      { id: two ?? '', approve: true },
      { id: three ?? '', approve: true },
      { id: 'appr_01jd0000000000000000000000', approve: true },
      { id: one ?? '', approve: true },
    ],
  })
  const results = decideApprovals.__typename === 'DecideApprovalsPayload' ? decideApprovals.results : []
  expect(results.map(({ __typename }) => __typename)).toEqual([
    'DecideApprovalPayload',
    'ConflictRefusal',
    'NotFoundRefusal',
    'DecideApprovalPayload',
  ])
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await linesOf(marks)).toEqual(['one', 'two', 'three'])
})

describe('while a turn waits', () => {
  test('messages are taken and wait; what is decided later goes first', async () => {
    const marks = story.path('busy')
    const ada = story.as('ada')
    await send(ada, 'cli:busy', teeing(marks, 'one'))
    await using watch = watchAll(ada, 'cli:busy')
    const approval = only(await untilAsked(watch))
    const { message } = await send(ada, 'cli:busy', `run: echo later >> ${marks}`)
    expect(message).toMatchObject({ status: 'QUEUED', queuePosition: 0 })
    const { session } = await ada.run(WaitingSessionDocument, { id: 'cli:busy' })
    expect(session).toMatchObject({ status: 'AWAITING_APPROVAL', queueLength: 1 })
    await decide(ada, { id: approval.id, approve: true })
    await turnEnd(watch, 2)
    expect(await linesOf(marks)).toEqual(['one', 'later'])
  })

  test('cancelling ends it at once, with its approvals, and the next message has its turn', async () => {
    const marks = story.path('cancel')
    const ada = story.as('ada')
    await send(ada, 'cli:cancel', teeing(marks, 'one', 'two'))
    await using watch = watchAll(ada, 'cli:cancel')
    const [approval] = await untilAsked(watch, 2)
    await send(ada, 'cli:cancel', 'Hello?')
    expect(await ada.run(DeleteSessionDocument, { id: 'cli:cancel' })).toMatchObject({
      deleteSession: { __typename: 'ConflictRefusal' },
    })
    await ada.run(CancelTurnDocument, { sessionId: 'cli:cancel' })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
    expect(statesIn(watch)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(await decide(ada, { id: approval?.id ?? '', approve: true })).toMatchObject({
      __typename: 'ConflictRefusal',
      problem: expect.stringContaining('CANCELLED') as string,
    })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
    expect(await linesOf(marks)).toEqual([])
    expect(await ada.run(DeleteSessionDocument, { id: 'cli:cancel' })).toMatchObject({
      deleteSession: { __typename: 'DeleteSessionPayload' },
    })
  })

  test('cancelling at the very moment of asking leaves nobody waiting', async () => {
    const ada = story.as('ada')
    const ends = Array.from({ length: 12 }, async (_, index) => {
      const session = `cli:moment-${index}`
      await send(ada, session, 'run: echo one | tee marks')
      await using watch = watchAll(ada, session)
      // Asking follows the plan within milliseconds: some of these come before it, some after.
      await watch.until(({ sessionEvents: event }) =>
        index % 2 === 0 ? event.__typename === 'PlanCreatedEvent' : event.__typename === 'ApprovalEvent',
      )
      await ada.run(CancelTurnDocument, { sessionId: session })
      return (await turnEnd(watch)).turnStatus
    })
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['CANCELLED']))
    const { approvals } = await ada.run(ApprovalsDocument, { first: 100, filter: { status: ['PENDING'] } })
    expect(approvals.edges.filter(({ node }) => node.session.id.startsWith('cli:moment-'))).toEqual([])
  })

  test('nobody decides: after approval_timeout it counts as denied', async () => {
    const config = storyConfig({ toml: RULES, settings: { approval_timeout: 1 } })
    await using _config = await story.reconfigureForNow(config)
    const marks = story.path('late')
    const ada = story.as('ada')
    await send(ada, 'cli:late', teeing(marks, 'one'))
    await using watch = watchAll(ada, 'cli:late')
    const approval = only(await untilAsked(watch))
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(eventsOf(watch, 'ReviewEvent')).toMatchObject([
      { verdict: 'REPLAN', reason: expect.stringContaining('nobody approved it in time') as string },
    ])
    expect(await linesOf(marks)).toEqual([])
    expect(await decide(ada, { id: approval.id, approve: true })).toMatchObject({ __typename: 'ConflictRefusal' })
    const { audit } = await ada.run(ApprovalAuditDocument, { sessionId: 'cli:late' })
    expect(audit.edges.map(({ node }) => node)).toMatchObject([
      { actor: { __typename: 'ServerPart', name: 'server' }, approvalStatus: 'EXPIRED' },
      { actor: { name: 'ada' }, approvalStatus: 'PENDING' },
    ])
  })
})

describe('what is approved', () => {
  test('is checked again when it was edited, and the audit shows before and after', async () => {
    const marks = story.path('edit')
    const ada = story.as('ada')
    await send(ada, 'cli:edit', teeing(marks, 'one'))
    await using watch = watchAll(ada, 'cli:edit')
    const { id, task } = only(await untilAsked(watch))
    const refusedEdits = ['', 'rm -rf /', 'true && FOO=1 curl example.org', 'echo $(curl example.org)']
    for (const editedDetail of refusedEdits) {
      const refused = await decide(ada, { id, approve: true, editedDetail })
      expect(refused).toMatchObject({
        __typename: 'InvalidInputRefusal',
        issues: [{ path: ['editedDetail'] }],
      })
    }
    expect(await decide(ada, { id, approve: true, editedArgs: {} })).toMatchObject({
      __typename: 'InvalidInputRefusal',
    })
    expect(await decide(ada, { id, approve: false, editedDetail: 'true' })).toMatchObject({
      __typename: 'InvalidInputRefusal',
    })
    const editedDetail = `echo edited | tee -a ${marks}`
    expect(await decide(ada, { id, approve: true, editedDetail })).toMatchObject({
      approval: { task: { detail: editedDetail } },
    })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(await linesOf(marks)).toEqual(['edited'])
    const { audit } = await ada.run(ApprovalAuditDocument, { sessionId: 'cli:edit' })
    expect(audit.edges[0]?.node).toMatchObject({ before: task.detail, after: editedDetail })
  })

  test('for the session is not asked again for the same user there, and elsewhere it is', async () => {
    const marks = story.path('remember')
    const ada = story.as('ada')
    await send(ada, 'cli:remember', teeing(marks, 'one'))
    await using watch = watchAll(ada, 'cli:remember')
    const { id } = only(await untilAsked(watch))
    expect(await decide(ada, { id, approve: true, scope: 'SESSION' })).toMatchObject({
      approval: { scope: 'SESSION', remembered: ['tee …'] },
    })
    await turnEnd(watch)
    await send(ada, 'cli:remember', teeing(marks, 'two', 'three'))
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
    expect(await linesOf(marks)).toEqual(['one', 'two', 'three'])

    await send(ada, 'cli:elsewhere', teeing(marks, 'four'))
    await using elsewhere = watchAll(ada, 'cli:elsewhere')
    only(await untilAsked(elsewhere))
    expect(await linesOf(marks)).toEqual(['one', 'two', 'three'])
  })

  test('cannot be remembered when nobody can tell what it will be', async () => {
    const marks = story.path('unknown')
    const ada = story.as('ada')
    await send(ada, 'cli:unknown', `run: echo one | tee -a ${marks} > "$X"`)
    await using watch = watchAll(ada, 'cli:unknown')
    const { id } = only(await untilAsked(watch))
    expect(await decide(ada, { id, approve: true, scope: 'SESSION' })).toMatchObject({
      __typename: 'InvalidInputRefusal',
      issues: [{ path: ['scope'] }],
    })
    await ada.run(CancelTurnDocument, { sessionId: 'cli:unknown' })
    await turnEnd(watch)
  })
})

test('a secret in a note is not kept, and none can be put into a command', async () => {
  const ada = story.as('ada')
  await send(ada, 'cli:secret', 'run: echo one | tee marks')
  await using watch = watchAll(ada, 'cli:secret')
  const { id } = only(await untilAsked(watch))
  const secret = tokenOf('cleo')
  const refused = await decide(ada, { id, approve: true, editedDetail: `echo ${secret}` })
  expect(refused).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['editedDetail'] }] })
  expect(JSON.stringify(refused)).not.toContain(secret)
  const denied = await decide(ada, { id, approve: false, note: `Use ${secret} instead.` })
  expect(denied).toMatchObject({ approval: { note: 'Use [REDACTED] instead.' } })
  await turnEnd(watch)
  const { audit } = await ada.run(ApprovalAuditDocument, { sessionId: 'cli:secret' })
  expect(audit.edges[0]?.node).toMatchObject({ note: 'Use [REDACTED] instead.' })
})

test("the arguments of a skill are edited within the skill's schema", async () => {
  const config = storyConfig({ toml: approvalRules('effect = "require"\nskill = "mark"') })
  await using _config = await story.reconfigureForNow(config)
  addSkill(story.home, 'mark', {
    manifest: '[kiso.skill.args]\nword = { type = "string", required = true, description = "The word." }\n',
    files: { 'run.py': `import json, sys\nprint("marked " + json.load(sys.stdin)["args"]["word"])\n` },
  })
  const ada = story.as('ada')
  await send(ada, 'cli:skill', 'skill: mark {"word": "first"}')
  await using watch = watchAll(ada, 'cli:skill')
  const { id } = only(await untilAsked(watch))
  for (const editedArgs of [{}, { word: 1 }, { word: 'x', more: true }, []]) {
    expect(await decide(ada, { id, approve: true, editedArgs })).toMatchObject({ __typename: 'InvalidInputRefusal' })
  }
  {
    // It is the skill that is denied by now, whatever it is called with.
    const denied = storyConfig({ toml: approvalRules('effect = "deny"\nskill = "mark"') })
    await using _denied = await story.reconfigureForNow(denied)
    expect(await decide(ada, { id, approve: true, editedArgs: { word: 'second' } })).toMatchObject({
      issues: [{ path: ['approve'] }],
    })
  }
  expect(await decide(ada, { id, approve: true, editedArgs: { word: 'second' } })).toMatchObject({
    approval: { task: { args: { word: 'second' } } },
  })
  await turnEnd(watch)
  expect(eventsOf(watch, 'TaskUpdateEvent').some(({ task }) => task.output === 'marked second\n')).toBe(true)
})

describe('who may decide', () => {
  test('admins; the user whose turn it is only with own_user_may_decide; to strangers it does not exist', async () => {
    const [ada, ben, cleo] = [story.as('ada'), story.as('ben'), story.as('cleo')]
    await send(ben, '@ben:ben', 'run: echo one | tee mark')
    await using watch = watchAll(ben, '@ben:ben')
    await using adaSees = ada.watch(ApprovalUpdatesDocument, {})
    const { id } = only(await untilAsked(watch))
    expect(await decide(ben, { id, approve: true })).toMatchObject({ __typename: 'ConflictRefusal' })
    expect(await decide(cleo, { id, approve: true })).toMatchObject({ __typename: 'NotFoundRefusal' })
    expect(await decide(story.as('discord'), { id, approve: true, user: 'Ben#1' })).toMatchObject({
      __typename: 'NotFoundRefusal',
    })
    expect(await decide(story.as('bridge'), { id, approve: true, user: 'nobody' })).toMatchObject({
      __typename: 'ConflictRefusal',
    })
    const listed = async (client: typeof ada): Promise<string[]> =>
      (await client.run(ApprovalsDocument, { filter: { sessionId: '@ben:ben' } })).approvals.edges.map(
        ({ node }) => node.id,
      )
    expect([await listed(ada), await listed(ben), await listed(cleo)]).toEqual([[id], [id], []])
    await decide(ada, { id, approve: false })
    await turnEnd(watch)
    await adaSees.until(({ approvalUpdates }) => approvalUpdates.approval?.id === id)
  })

  test('own_user_may_decide, also through a connector', async () => {
    const config = storyConfig({ toml: `[approvals]\nown_user_may_decide = true\n${RULES}` })
    await using _config = await story.reconfigureForNow(config)
    const ben = story.as('ben')
    await send(ben, '@ben:own', 'run: echo one | tee mark\nrun: echo two | tee mark')
    await using watch = watchAll(ben, '@ben:own')
    const [one, two] = await untilAsked(watch, 2)
    expect(await decide(ben, { id: one?.id ?? '', approve: true })).toMatchObject({
      approval: { decidedBy: { name: 'ben' } },
    })
    const bridge = story.as('bridge')
    expect(await decide(bridge, { id: two?.id ?? '', approve: true, user: 'ben-on-the-bridge' })).toMatchObject({
      approval: { decidedBy: { name: 'ben' } },
    })
    await turnEnd(watch)
  })
})
