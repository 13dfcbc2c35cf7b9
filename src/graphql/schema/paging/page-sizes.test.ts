/** Walks the schema: every list must declare its size, or the cost of operations is a guess. */
import { getNamedType, getNullableType, isIntrospectionType, isLeafType, isListType, type GraphQLField } from 'graphql'
import { expect, test } from 'vitest'
import { pagedOf } from '../../operation/paged.ts'
import { buildSchema } from '../schema.ts'

interface FieldPlace {
  readonly name: string
  readonly field: GraphQLField<unknown, unknown>
}

const places: readonly FieldPlace[] = Object.values(buildSchema().getTypeMap())
  .filter((type) => 'getFields' in type && !isIntrospectionType(type))
  .flatMap((type) =>
    'getFields' in type
      ? Object.values(type.getFields())
          .filter((field) => 'args' in field)
          .map((field) => ({ name: `${type.name}.${field.name}`, field }))
      : [],
  )

function isList({ field }: FieldPlace): boolean {
  return isListType(getNullableType(field.type))
}

function isConnection({ field }: FieldPlace): boolean {
  return getNamedType(field.type).name.endsWith('Connection')
}

function takesSize({ field }: FieldPlace): boolean {
  // Of a text, `last` is a length.
  if (isLeafType(getNamedType(field.type)) && !isListType(getNullableType(field.type))) return false
  return field.args.some(({ name }) => name === 'first' || name === 'last')
}

/** As long as the page: what gives the connection says how long that is. */
function isOfPage({ name }: FieldPlace): boolean {
  return name.endsWith('Connection.edges')
}

test('every list says how long it is', () => {
  const lists = places.filter((place) => (isList(place) && !isOfPage(place)) || isConnection(place) || takesSize(place))
  expect(lists.length).toBeGreaterThan(40)
  expect(lists.filter(({ field }) => pagedOf(field) === null).map(({ name }) => name)).toEqual([])
})

/** Lists without a largest size, and what keeps each of them short. */
const KEPT_SHORT: Readonly<Record<string, string>> = {
  'a plan, which holds at most max_plan_tasks, and max_replan_depth':
    'Plan.secretNames Plan.tasks Turn.commandsHandled Turn.plans Turn.tasks TurnCompletedEvent.commandsHandled',
  'what was noticed, and the five that are most alike': 'Learning.flags Learning.similarTo',
  'the words of two texts, which are 2000 characters': 'Fact.diff',
  'what one task does': 'Task.deliveries Task.files',
  'max_queued: what waits in one session': 'Turn.joined',
  'facts_shown, and one edit at a time':
    'Fact.history Fact.replaces Question.facts Turn.factsShown Turn.factsUsed EraseUserPayload.factIds UndoChangePayload.facts',
  'what admins write by hand or install':
    'Account.formerNames Account.identities Account.skills Account.tools Query.mcpServers Query.skillProblems Query.toolProblems Query.tools Query.skills ReloadSecretsPayload.names Viewer.allowedSkills',
  'the roles of agents, which are fixed': 'Server.models',
  'the users that there are': 'Session.participants',
  'one input, one approval or one call of a tool, whose sizes are limited':
    'Approval.remembered DecideLearningsPayload.results SetFactScopesPayload.results Delegation.allowedTools InputIssue.path InvalidInputRefusal.issues',
}

test('a list without a largest size is kept short by another rule', () => {
  const endless = places.filter(({ field }) => pagedOf(field)?.max === null).map(({ name }) => name)
  expect(endless.toSorted()).toEqual(
    Object.values(KEPT_SHORT)
      .flatMap((names) => names.split(' '))
      .toSorted(),
  )
})

test('what takes a size has a largest one, and says both in its description', () => {
  const sized = places.filter(takesSize)
  expect(sized.map(({ name }) => name)).toContain('Session.events')
  for (const { name, field } of sized) {
    const paged = pagedOf(field)
    const first = field.args.find((argument) => argument.name === 'first')
    expect(`${name}: ${first?.description}`).toContain(`1 to ${paged?.max}, ${paged?.default} when left out`)
  }
})

test('every connection takes a size', () => {
  expect(places.filter((place) => isConnection(place) && !takesSize(place))).toEqual([])
})
