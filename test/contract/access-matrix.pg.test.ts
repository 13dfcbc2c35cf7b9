/**
 * The authorization matrix: every root field of the schema, by every kind of caller, on a session called "discord:…" in
 * which bob participates. The rows are looked up by the schema's own fields, so a new field without a row fails.
 */
import { parse, Kind } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredAuditEntry } from '../../src/core/audit-entry.ts'
import type { Viewer } from '../../src/core/identity.ts'
import { logViewOf } from '../../src/graphql/live/log-view.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { namedId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import { addSchedule } from '../schedules/schedule-world.ts'
import { modelCall } from '../worker/model-call.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedApproval } from './seed-approval.ts'
import { seedDelegation } from './seed-delegation.ts'
import { seedDelivery } from './seed-delivery.ts'
import { seedFact, seedKnowledge, seedProposal, type SeededKnowledge } from './seed-knowledge.ts'
import { seedPlugin } from './seed-plugin.ts'
import { seedSession, type SeededSession } from './seed.ts'

const SLACK: Viewer = { tokenName: 'slack', tokenKind: 'CONNECTOR', namespace: 'slack', user: null, role: 'USER' }

const CALLERS: Readonly<Record<string, TokenName | Viewer | null>> = {
  nobody: null,
  participant: 'bob',
  stranger: 'carol',
  'connector of the namespace': 'discord',
  'connector of another namespace': SLACK,
  'connector of every namespace': 'hub',
  admin: 'alice',
}

const ADMINS_SEE = row('UNAUTHENTICATED FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN shown')
const ADMINS_DO = row('UNAUTHENTICATED FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN Payload')
const ADMINS_TRY = row('UNAUTHENTICATED FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN Conflict')

/** What each caller gets, in the order of CALLERS: a type, an error's code, or whether the thing is shown. */
const MATRIX: Readonly<Record<string, readonly string[]>> = {
  'Query.viewer': row('UNAUTHENTICATED shown shown shown shown shown shown'),
  'Query.server': row('UNAUTHENTICATED shown shown shown shown shown shown'),
  'Query.skills': row('UNAUTHENTICATED shown shown shown shown shown shown'),
  'Query.skillProblems': ADMINS_SEE,
  'Query.tools': row('UNAUTHENTICATED shown shown shown shown shown shown'),
  'Query.toolProblems': ADMINS_SEE,
  'Query.mcpServers': ADMINS_SEE,
  'Query.nodes': ADMINS_SEE,
  'Query.configuration': ADMINS_SEE,
  'Query.plugin': ADMINS_SEE,
  'Query.plugins': ADMINS_SEE,
  'Query.secrets': ADMINS_SEE,
  'Query.budgets': ADMINS_SEE,
  'Query.node': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.session': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.sessions': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.searchMessages': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.message': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.turn': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.task': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.tasks': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.approvals': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.delegations': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.deliveries': ADMINS_SEE,
  // One that is everybody's.
  'Query.facts': row('UNAUTHENTICATED shown shown hidden hidden hidden shown'),
  'Query.fact': row('UNAUTHENTICATED shown shown shown hidden shown shown'),
  'Query.learning': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Query.learnings': ADMINS_SEE,
  'Query.proposals': ADMINS_SEE,
  'Query.learningGroups': ADMINS_SEE,
  'Query.questions': ADMINS_SEE,
  // Bob's own; a connector has none.
  'Query.schedules': row('UNAUTHENTICATED shown hidden hidden hidden hidden shown'),
  'Query.audit': ADMINS_SEE,
  'Query.modelCalls': ADMINS_SEE,
  'Query.usage': ADMINS_SEE,
  'Query.usageByDay': ADMINS_SEE,
  'Query.rankedTurns': ADMINS_SEE,
  'Query.auditCheck': ADMINS_SEE,
  'Query.cronFirings': row('UNAUTHENTICATED shown shown shown shown shown shown'),
  'Mutation.openSession': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Payload Payload'),
  'Mutation.forkSession': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Payload Payload'),
  // The connector of the namespace opened it.
  'Mutation.updateSession': row('UNAUTHENTICATED Conflict NotFound Payload InvalidInput Conflict Payload'),
  'Mutation.deleteSession': row('UNAUTHENTICATED Conflict NotFound Payload InvalidInput Conflict Payload'),
  'Mutation.addParticipant': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Conflict Payload'),
  'Mutation.removeParticipant': row('UNAUTHENTICATED Payload InvalidInput Payload InvalidInput Conflict Payload'),
  'Mutation.sendMessage': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Payload Payload'),
  // Users may call what is named for them, which here is nothing; who connectors speak for is a stranger.
  'Mutation.callTool': row('UNAUTHENTICATED NotFound NotFound InvalidInput InvalidInput InvalidInput Payload'),
  'Mutation.appendMessage': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Payload Payload'),
  // The message waits and is bob's: connectors may not change what they did not bring.
  'Mutation.editQueuedMessage': row('UNAUTHENTICATED Payload NotFound Conflict NotFound Conflict Payload'),
  'Mutation.withdrawMessage': row('UNAUTHENTICATED Payload NotFound Conflict NotFound Conflict Payload'),
  'Mutation.checkpointSession': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Conflict Payload'),
  'Mutation.cancelTurn': row('UNAUTHENTICATED Payload NotFound Payload InvalidInput Conflict Payload'),
  // It failed, and runs again as bob: those may who may change his message.
  'Mutation.retryTurn': row('UNAUTHENTICATED Payload NotFound Conflict NotFound Conflict Payload'),
  // Bob may see it; deciding is the admins'.
  'Mutation.decideApproval': row('UNAUTHENTICATED Conflict NotFound Conflict NotFound Conflict Payload'),
  'Mutation.decideApprovals': row('UNAUTHENTICATED Conflict NotFound Conflict NotFound Conflict Payload'),
  'Mutation.createSchedule': row('UNAUTHENTICATED Payload Payload InvalidInput InvalidInput InvalidInput Payload'),
  'Mutation.updateSchedule': row('UNAUTHENTICATED Payload NotFound NotFound NotFound NotFound Payload'),
  'Mutation.deleteSchedule': row('UNAUTHENTICATED Payload NotFound NotFound NotFound NotFound Payload'),
  'Mutation.triggerSchedule': row('UNAUTHENTICATED Payload NotFound NotFound NotFound NotFound Payload'),
  // It is of one person: those are deleted.
  'Mutation.eraseUser': row('UNAUTHENTICATED FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN Conflict'),
  'Query.users': ADMINS_SEE,
  'Query.tokens': ADMINS_SEE,
  'Mutation.createUser': ADMINS_DO,
  'Mutation.createToken': ADMINS_DO,
  // Those of the test's configuration are changed only there.
  'Mutation.restartPlugin': ADMINS_DO,
  'Mutation.updatePlugin': ADMINS_DO,
  'Mutation.updateUser': ADMINS_TRY,
  'Mutation.removeUser': ADMINS_TRY,
  'Mutation.revokeToken': ADMINS_TRY,
  'Mutation.unlinkIdentity': ADMINS_TRY,
  'Mutation.mergeUsers': ADMINS_TRY,
  'Mutation.linkIdentity': ADMINS_DO,
  // A person makes it; a connector uses it, and this one is none.
  'Mutation.createLinkCode': row('UNAUTHENTICATED Payload Payload Conflict Conflict Conflict Payload'),
  'Mutation.redeemLinkCode': row('UNAUTHENTICATED Conflict Conflict InvalidInput InvalidInput InvalidInput Conflict'),
  'Mutation.redeliver': ADMINS_DO,
  'Mutation.redeliverAll': ADMINS_DO,
  'Mutation.reloadSecrets': ADMINS_DO,
  'Mutation.checkModel': ADMINS_DO,
  'Mutation.createFact': ADMINS_DO,
  'Mutation.editFact': ADMINS_DO,
  'Mutation.mergeFacts': ADMINS_DO,
  'Mutation.invalidateFact': ADMINS_DO,
  'Mutation.restoreFact': ADMINS_DO,
  // It says what it said at first.
  'Mutation.revertFact': ADMINS_TRY,
  'Mutation.setFactScopes': ADMINS_DO,
  'Mutation.disputeFact': row('UNAUTHENTICATED Payload Payload Conflict NotFound Conflict Payload'),
  'Mutation.undoChange': row('UNAUTHENTICATED FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN FORBIDDEN NotFound'),
  'Mutation.promoteLearning': ADMINS_DO,
  'Mutation.askLearning': ADMINS_DO,
  'Mutation.discardLearning': ADMINS_DO,
  'Mutation.reopenLearning': ADMINS_DO,
  'Mutation.reviewFact': ADMINS_DO,
  'Mutation.setFactPinned': ADMINS_DO,
  'Mutation.decideLearnings': ADMINS_DO,
  'Mutation.acceptProposal': ADMINS_DO,
  'Mutation.rejectProposal': ADMINS_DO,
  'Mutation.createQuestion': ADMINS_DO,
  // It is asked in bob's session.
  'Mutation.resolveQuestion': row('UNAUTHENTICATED Payload NotFound NotFound NotFound NotFound Payload'),
  'Subscription.learningUpdates': ADMINS_SEE,
  'Subscription.proposalUpdates': ADMINS_SEE,
  'Subscription.auditTrail': ADMINS_SEE,
  'Subscription.factUpdates': ADMINS_SEE,
  'Subscription.questionUpdates': ADMINS_SEE,
  'Subscription.deliveryUpdates': ADMINS_SEE,
  'Subscription.pluginUpdates': ADMINS_SEE,
  'Subscription.approvalUpdates': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  'Subscription.sessionUpdates': row('UNAUTHENTICATED shown hidden shown hidden shown shown'),
  // Bob's.
  'Subscription.scheduleUpdates': row('UNAUTHENTICATED shown hidden hidden hidden hidden shown'),
  'Subscription.serverUpdates': row('UNAUTHENTICATED shown shown shown shown shown shown'),
}

function row(words: string): readonly string[] {
  return words.split(' ')
}

interface Target extends SeededSession, SeededKnowledge {
  /** A fact of no session. */
  readonly otherFactId: string
  readonly proposalId: string
  readonly factNumber: number
  readonly learningNumber: number
  /** One that was given up. */
  readonly deliveryId: string
  /** One that waits for a decision. */
  readonly approvalId: string
  /** Bob's. */
  readonly scheduleId: string
  /** For connectors, which must name a sender. */
  readonly sender: string
}

/** How each field is asked for the session, or for what is in it. */
const PROBES: Readonly<Record<string, (target: Target) => string>> = {
  'Query.viewer': () => '{ viewer { role } }',
  'Query.server': () => '{ server { version } }',
  'Query.skills': () => '{ skills { name } }',
  'Query.skillProblems': () => '{ skillProblems { folder } }',
  'Query.tools': () => '{ tools { name } }',
  'Query.toolProblems': () => '{ toolProblems { source } }',
  'Query.mcpServers': () => '{ mcpServers { name } }',
  'Query.nodes': () => '{ nodes { nodeId } }',
  'Query.configuration': () => '{ configuration { inEffect } }',
  'Query.plugin': () => '{ plugin(name: "tester") { id } }',
  'Query.plugins': () => '{ plugins { edges { node { id } } } }',
  'Query.secrets': () => '{ secrets { edges { node { name } } } }',
  'Query.budgets': () => '{ budgets { edges { node { usedUp } } } }',
  'Query.node': ({ planIds }) => `{ node(id: "${planIds[0]}") { id } }`,
  'Query.session': ({ id }) => `{ session(id: "${id}") { id } }`,
  'Query.sessions': ({ id }) => `{ sessions(filter: { search: "about ${id}" }) { edges { node { id } } } }`,
  'Query.searchMessages': ({ id }) =>
    `{ searchMessages(search: "message", sessionId: "${id}") { edges { node { session { id } } } } }`,
  'Query.message': ({ messageIds }) => `{ message(id: "${messageIds[0]}") { id } }`,
  'Query.turn': ({ turnIds }) => `{ turn(id: "${turnIds[0]}") { id } }`,
  'Query.task': ({ taskIds }) => `{ task(id: "${taskIds[0]}") { id } }`,
  'Query.tasks': ({ id }) => `{ tasks(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.approvals': ({ id }) => `{ approvals(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.deliveries': ({ id }) => `{ deliveries(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.facts': ({ id }) => `{ facts(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.learnings': ({ id }) => `{ learnings(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.fact': ({ factNumber }) => `{ fact(number: ${factNumber}) { id } }`,
  'Query.learning': ({ learningNumber }) => `{ learning(number: ${learningNumber}) { id } }`,
  'Query.proposals': () => '{ proposals { edges { node { id } } } }',
  'Query.learningGroups': ({ id }) => `{ learningGroups(filter: { sessionId: "${id}" }) { learnings { id } } }`,
  'Query.questions': ({ id }) => `{ questions(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Query.schedules': () => '{ schedules { edges { node { id } } } }',
  'Query.audit': () => '{ audit { edges { node { id } } } }',
  'Query.modelCalls': () => '{ modelCalls { edges { node { id } } } }',
  'Query.usage': () => '{ usage(by: DAY) { key } }',
  'Query.usageByDay': () => '{ usageByDay(by: MODEL) { key } }',
  'Query.rankedTurns': () => '{ rankedTurns(by: DURATION) { id } }',
  'Query.auditCheck': () => '{ auditCheck { complete } }',
  'Query.cronFirings': () => '{ cronFirings(cron: "0 9 * * *") { firesAt } }',
  'Mutation.openSession': ({ id }) => `mutation { openSession(input: { id: "${id}" }) { __typename } }`,
  'Mutation.forkSession': ({ id }) => `mutation { forkSession(input: { sessionId: "${id}", upTo: 1 }) { __typename } }`,
  'Mutation.updateSession': ({ id }) =>
    `mutation { updateSession(input: { id: "${id}", description: "x" }) { __typename } }`,
  'Mutation.deleteSession': ({ id }) => `mutation { deleteSession(input: { id: "${id}" }) { __typename } }`,
  'Mutation.addParticipant': ({ id }) =>
    `mutation { addParticipant(input: { sessionId: "${id}", user: "alice" }) { __typename } }`,
  'Mutation.removeParticipant': ({ id }) =>
    `mutation { removeParticipant(input: { sessionId: "${id}", user: "bob" }) { __typename } }`,
  'Mutation.sendMessage': ({ id, sender }) =>
    `mutation { sendMessage(input: { sessionId: "${id}", content: "x"${sender} }) { __typename } }`,
  'Mutation.callTool': ({ id, sender }) =>
    `mutation { callTool(input: { sessionId: "${id}", tool: "delegation__delegate", args: { task: "x", expect: "x" }${sender} }) { __typename } }`,
  'Mutation.appendMessage': ({ id, sender }) =>
    `mutation { appendMessage(input: { sessionId: "${id}", content: "x"${sender} }) { __typename } }`,
  'Mutation.editQueuedMessage': ({ messageIds }) =>
    `mutation { editQueuedMessage(input: { id: "${messageIds[1]}", content: "x" }) { __typename } }`,
  'Mutation.withdrawMessage': ({ messageIds }) =>
    `mutation { withdrawMessage(input: { id: "${messageIds[1]}" }) { __typename } }`,
  'Mutation.checkpointSession': ({ id }) =>
    `mutation { checkpointSession(input: { sessionId: "${id}" }) { __typename } }`,
  'Mutation.cancelTurn': ({ id }) => `mutation { cancelTurn(input: { sessionId: "${id}" }) { __typename } }`,
  'Mutation.retryTurn': ({ turnIds }) => `mutation { retryTurn(input: { turnId: "${turnIds[1]}" }) { __typename } }`,
  'Query.delegations': ({ id }) => `{ delegations(filter: { sessionId: "${id}" }) { edges { node { id } } } }`,
  'Mutation.decideApproval': ({ approvalId, sender }) =>
    `mutation { decideApproval(input: { id: "${approvalId}", approve: true${sender} }) { __typename } }`,
  'Mutation.decideApprovals': ({ approvalId, sender }) =>
    `mutation { decideApprovals(input: { decisions: [{ id: "${approvalId}", approve: true${sender} }] }) { __typename ... on DecideApprovalsPayload { results { __typename } } } }`,
  'Mutation.createSchedule': () =>
    'mutation { createSchedule(input: { name: "x", content: "x", cron: "0 9 * * *" }) { __typename } }',
  'Mutation.updateSchedule': ({ scheduleId }) =>
    `mutation { updateSchedule(input: { id: "${scheduleId}", name: "y" }) { __typename } }`,
  'Mutation.deleteSchedule': ({ scheduleId }) =>
    `mutation { deleteSchedule(input: { id: "${scheduleId}" }) { __typename } }`,
  'Mutation.triggerSchedule': ({ scheduleId }) =>
    `mutation { triggerSchedule(input: { id: "${scheduleId}" }) { __typename } }`,
  'Mutation.eraseUser': ({ id }) => `mutation { eraseUser(input: { sessionId: "${id}", user: "bob" }) { __typename } }`,
  'Mutation.redeliverAll': () => 'mutation { redeliverAll(input: { filter: { status: [DELIVERED] } }) { __typename } }',
  'Query.users': () => '{ users { edges { node { id } } } }',
  'Query.tokens': () => '{ tokens { edges { node { id } } } }',
  'Mutation.createUser': ({ id }) =>
    `mutation { createUser(input: { name: "u${id.replace(/[^a-z0-9]/g, '')}", role: USER }) { __typename } }`,
  'Mutation.restartPlugin': () => 'mutation { restartPlugin(input: { name: "tester" }) { __typename } }',
  'Mutation.updatePlugin': () => 'mutation { updatePlugin(input: { name: "tester", version: 1 }) { __typename } }',
  'Mutation.updateUser': () => 'mutation { updateUser(input: { user: "bob", role: ADMIN }) { __typename } }',
  'Mutation.removeUser': () => 'mutation { removeUser(input: { user: "bob" }) { __typename } }',
  'Mutation.createToken': ({ id }) =>
    `mutation { createToken(input: { name: "t${id.replace(/[^a-z0-9]/g, '')}", kind: CONNECTOR }) { __typename } }`,
  'Mutation.revokeToken': () => 'mutation { revokeToken(input: { name: "bob" }) { __typename } }',
  'Mutation.linkIdentity': ({ id }) =>
    `mutation { linkIdentity(input: { user: "bob", connector: "discord", identity: "${id}" }) { __typename } }`,
  'Mutation.unlinkIdentity': () =>
    'mutation { unlinkIdentity(input: { user: "bob", connector: "discord", identity: "Bob#1" }) { __typename } }',
  'Mutation.mergeUsers': () => 'mutation { mergeUsers(input: { from: "bob", into: "carol" }) { __typename } }',
  'Mutation.createLinkCode': () => 'mutation { createLinkCode { __typename } }',
  'Mutation.redeemLinkCode': () =>
    'mutation { redeemLinkCode(input: { code: "00000-00002", user: "eve" }) { __typename } }',
  'Mutation.redeliver': ({ deliveryId }) => `mutation { redeliver(input: { id: "${deliveryId}" }) { __typename } }`,
  'Mutation.reloadSecrets': () => `mutation { reloadSecrets { __typename } }`,
  'Mutation.checkModel': () => 'mutation { checkModel(input: { role: "planner" }) { __typename } }',
  'Mutation.createFact': ({ id }) =>
    `mutation { createFact(input: { content: "New in ${id}.", sessionId: "${id}" }) { __typename } }`,
  'Mutation.editFact': ({ factId, id }) =>
    `mutation { editFact(input: { id: "${factId}", content: "Other in ${id}.", version: 1 }) { __typename } }`,
  'Mutation.mergeFacts': ({ factId, otherFactId, id }) =>
    `mutation { mergeFacts(input: { ids: ["${factId}", "${otherFactId}"], content: "Both in ${id}." }) { __typename } }`,
  'Mutation.invalidateFact': ({ factId }) => `mutation { invalidateFact(input: { id: "${factId}" }) { __typename } }`,
  'Mutation.revertFact': ({ factId }) =>
    `mutation { revertFact(input: { id: "${factId}", version: 1 }) { __typename } }`,
  'Mutation.setFactScopes': ({ factId }) =>
    `mutation { setFactScopes(input: { ids: ["${factId}"], scope: { scope: PROJECT, of: "shop" } }) { __typename } }`,
  'Mutation.disputeFact': ({ factId }) =>
    `mutation { disputeFact(input: { id: "${factId}", reason: "It moved." }) { __typename } }`,
  'Mutation.undoChange': () => `mutation { undoChange(input: { changeId: "chg_none" }) { __typename } }`,
  'Mutation.reviewFact': ({ factId }) =>
    `mutation { reviewFact(input: { id: "${factId}", version: 1 }) { __typename } }`,
  'Mutation.setFactPinned': ({ factId }) =>
    `mutation { setFactPinned(input: { id: "${factId}", pinned: true }) { __typename } }`,
  'Mutation.acceptProposal': ({ proposalId }) =>
    `mutation { acceptProposal(input: { id: "${proposalId}" }) { __typename } }`,
  'Mutation.rejectProposal': ({ proposalId }) =>
    `mutation { rejectProposal(input: { id: "${proposalId}" }) { __typename } }`,
  'Mutation.restoreFact': ({ factId }) => `mutation { restoreFact(input: { id: "${factId}" }) { __typename } }`,
  'Mutation.promoteLearning': ({ learningId }) =>
    `mutation { promoteLearning(input: { id: "${learningId}" }) { __typename } }`,
  'Mutation.askLearning': ({ learningId }) =>
    `mutation { askLearning(input: { id: "${learningId}", question: "x" }) { __typename } }`,
  'Mutation.discardLearning': ({ learningId }) =>
    `mutation { discardLearning(input: { id: "${learningId}" }) { __typename } }`,
  'Mutation.reopenLearning': ({ learningId }) =>
    `mutation { reopenLearning(input: { id: "${learningId}" }) { __typename } }`,
  'Mutation.decideLearnings': ({ learningId }) =>
    `mutation { decideLearnings(input: { decisions: [{ id: "${learningId}", verdict: DISCARD }] }) { __typename } }`,
  'Mutation.createQuestion': ({ id }) =>
    `mutation { createQuestion(input: { content: "x", sessionId: "${id}" }) { __typename } }`,
  'Mutation.resolveQuestion': ({ questionId }) =>
    `mutation { resolveQuestion(input: { id: "${questionId}" }) { __typename } }`,
  'Subscription.auditTrail': () => 'subscription { auditTrail { entry { id } } }',
  'Subscription.proposalUpdates': () => 'subscription { proposalUpdates { proposal { id } } }',
  'Subscription.learningUpdates': () => 'subscription { learningUpdates { learning { id } } }',
  'Subscription.factUpdates': () => 'subscription { factUpdates { fact { id } } }',
  'Subscription.approvalUpdates': () => 'subscription { approvalUpdates { approval { id } } }',
  'Subscription.sessionUpdates': () => 'subscription { sessionUpdates { session { id } } }',
  'Subscription.questionUpdates': () => 'subscription { questionUpdates { question { id } } }',
  'Subscription.pluginUpdates': () => 'subscription { pluginUpdates { plugin { id } } }',
  'Subscription.deliveryUpdates': () => 'subscription { deliveryUpdates { delivery { id } } }',
  'Subscription.scheduleUpdates': () => 'subscription { scheduleUpdates { schedule { id } } }',
  'Subscription.serverUpdates': () => 'subscription { serverUpdates { version } }',
}

let it: SchemaWorld
const AUDIT_ENTRY: StoredAuditEntry = {
  id: 'aud_01jd0000000000000000000000',
  at: new Date('2026-11-21T15:30:00.000Z'),
  sessionId: null,
  turnId: null,
  actor: null,
  tokenName: null,
  body: { kind: 'CONFIG', change: 'RELOADED', detail: 'users added: bob' },
}

const { texts: _texts, at, ...call } = modelCall(new Date('2026-11-21T15:29:00.000Z'))
const MODEL_CALL: StoredAuditEntry = {
  ...AUDIT_ENTRY,
  id: 'aud_01jd0000000000000000000001',
  at,
  body: { kind: 'MODEL_CALL', ...call },
}

beforeAll(async () => {
  it = await createSchemaWorld()
  await appendAudit(it.world.context.database, [MODEL_CALL, AUDIT_ENTRY])
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

const schema = buildSchema()
const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {})
    // Log views are served by the hub, which has a matrix of its own.
    .filter((field) => logViewOf(field.extensions) === null)
    .map((field) => `${must(type, 'a root type').name}.${field.name}`),
)

describe.each(fields)('%s', (field) => {
  test.each(Object.keys(CALLERS))('%s', async (caller) => {
    const expected = MATRIX[field]?.[Object.keys(CALLERS).indexOf(caller)]
    expect(await ask(field, caller)).toBe(expected)
  })
})

test('every row is about a field that exists', () => {
  expect(Object.keys(MATRIX).sort()).toEqual([...fields].sort())
})

let seeded = 0
const shared = new Map<string, Promise<Omit<Target, 'sender'>>>()

/** The same for all callers, until one has changed it. */
function targetOf(field: string): Promise<Omit<Target, 'sender'>> {
  const known = shared.get(field)
  if (known !== undefined) return known
  seeded += 1
  const target = seedFor(field, `discord:${seeded}`)
  shared.set(field, target)
  return target
}

async function ask(field: string, caller: string): Promise<string> {
  const as = must(CALLERS[caller] === undefined ? null : { viewer: CALLERS[caller] }, 'a caller').viewer
  const target = await targetOf(field)
  const isConnector = typeof as === 'object' ? as !== null : as === 'discord' || as === 'hub'
  const document = must(
    PROBES[field],
    `a probe of ${field}`,
  )({ ...target, sender: isConnector ? ', user: "someone"' : '' })
  const operation = parse(document).definitions[0]
  const isSubscription = operation?.kind === Kind.OPERATION_DEFINITION && operation.operation === 'subscription'
  const { data, codes } = isSubscription ? await firstUpdate(as, document, target) : await it.run(as, document)
  if (codes.length > 0) return codes.join(' ')
  const result = describeValue(Object.values(data as object)[0])
  if (result === 'Payload') shared.delete(field)
  return result
}

const NEWEST_TURN: Readonly<Record<string, 'RUNNING' | 'FAILED'>> = {
  'Mutation.cancelTurn': 'RUNNING',
  'Mutation.retryTurn': 'FAILED',
}

/**
 * One message is done, the next waits, or runs or has failed where its turn is to be cancelled or tried again; nothing
 * waits where the session is deleted.
 */
async function seedFor(field: string, id: string): Promise<Omit<Target, 'sender'>> {
  const { database } = it.world.context
  const newestTurn = NEWEST_TURN[field] ?? 'QUEUED'
  const messages = field === 'Mutation.deleteSession' ? 0 : 2
  const seed = {
    id,
    participants: ['bob'],
    openedBy: 'discord',
    description: `about ${id}.`,
    messages,
    newestTurn,
  } as const
  const session = await seedSession(database, seed)
  const knowledge = await seedKnowledge(database, session)
  const otherFactId = await seedFact(database, { content: `Something else than ${id}.` })
  const factIds = [knowledge.factId, otherFactId]
  const numbers = await it.world.sql<{ fact: number; learning: number | null }>(
    'SELECT (SELECT number FROM facts WHERE id = $1) AS fact, (SELECT number FROM learnings WHERE id = $2) AS learning',
    knowledge.factId,
    knowledge.learningId,
  )
  const [factNumber, learningNumber] = [numbers[0]?.fact ?? 0, numbers[0]?.learning ?? 0]
  const proposalId = field.includes('roposal')
    ? await seedProposal(database, { factIds, content: `One of ${id}.` })
    : ''
  if (field === 'Mutation.restoreFact') {
    await it.world.sql('UPDATE facts SET invalidated_at = created_at WHERE id = $1', knowledge.factId)
  }
  if (field === 'Mutation.reopenLearning')
    await it.world.sql(`UPDATE learnings SET status = 'DISCARDED' WHERE id = $1`, knowledge.learningId)
  const [taskId] = session.taskIds
  const deliveryId = taskId === undefined ? '' : await seedDelivery(database, id, taskId)
  const [turnId] = session.turnIds
  const waits = taskId === undefined || turnId === undefined ? null : { sessionId: id, turnId, taskId }
  const approvalId = waits === null ? '' : await seedApproval(database, waits)
  if (waits !== null && field === 'Query.delegations') await seedDelegation(database, waits)
  if (field.includes('lugin')) await seedPlugin(database, 'text')
  const scheduleId = field.includes('chedule') ? await addSchedule(it.world) : ''
  return {
    ...session,
    ...knowledge,
    otherFactId,
    factNumber,
    learningNumber,
    proposalId,
    deliveryId,
    approvalId,
    scheduleId,
  }
}

async function firstUpdate(
  as: TokenName | Viewer | null,
  document: string,
  { id, learningId, factId, proposalId, questionId, deliveryId, approvalId, scheduleId }: Omit<Target, 'sender'>,
): Promise<{ data: unknown; codes: unknown[] }> {
  it.sessionNotifier = { follow: () => once({ id }) }
  it.approvalNotifier = { follow: () => once({ id: approvalId }) }
  it.scheduleNotifier = { follow: () => once({ id: scheduleId }) }
  const rows = {
    fact: factId,
    learning: learningId,
    proposal: proposalId,
    question: questionId,
    delivery: deliveryId,
    plugin: namedId('plugin', 'tester'),
  }
  it.rowNotifier = { follow: (kind) => once({ id: must(rows[kind], kind) }) }
  it.auditTrails = { follow: () => Promise.resolve(once({ entry: AUDIT_ENTRY })) }
  for await (const result of await it.subscribe(as, document)) {
    return { data: result.data, codes: (result.errors ?? []).map((error) => error.extensions['code']) }
  }
  return { data: null, codes: ['nothing came'] }
}

async function* once<Item>(item: Item): AsyncGenerator<Item, void, void> {
  yield item
}

function describeValue(value: unknown): string {
  // A mutation of several things: how the first of them went.
  if (Array.isArray(value) && (value[0] as { __typename?: string } | undefined)?.__typename !== undefined)
    return describeValue(value[0])
  const { __typename, edges } = (value ?? {}) as { __typename?: string; edges?: unknown[] }
  if (typeof value === 'object' && value !== null && 'results' in value) return describeValue(value.results)
  if (__typename !== undefined) return __typename.replace(/^.*Payload$/, 'Payload').replace(/Refusal$/, '')
  // The update of a list: what it is about.
  const parts = Object.values(value ?? {})
  const isEmptyUpdate = parts.length > 0 && parts.every((part) => part === null)
  return value === null || isEmptyUpdate || edges?.length === 0 ? 'hidden' : 'shown'
}
