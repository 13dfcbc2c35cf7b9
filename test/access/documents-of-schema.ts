/**
 * Documents that ask for everything, made from the schema itself: a field, type or argument that is added is asked
 * for from then on. What cannot be known from the schema (which thing an argument of type ID names) stands in tables
 * here, and what is missing in them is an error.
 */
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'
import { must } from '../../src/platform/must.ts'

const KINDS = [
  'session',
  'message',
  'queuedMessage',
  'turn',
  'plan',
  'task',
  'personMessage',
  'agentText',
  'notice',
  'approval',
  'delegation',
  'delivery',
  'fact',
  'otherFact',
  'learning',
  'proposal',
  'question',
  'schedule',
  'scheduleRun',
  'user',
  'token',
  'plugin',
  'modelCallAudit',
  'taskAudit',
  'reviewAudit',
  'deliveryAudit',
  'knowledgeAudit',
  'accessDeniedAudit',
  'approvalAudit',
  'configAudit',
  'sessionAudit',
] as const

/** One of each thing. */
export type Ids = Readonly<Record<(typeof KINDS)[number], string>>

/**
 * What each argument or input field of type ID names; null: left out, because the client makes it up, or it names
 * another thing of the same kind (confinement.pg.test.ts gives it).
 */
const ID_ARGUMENTS: Readonly<Record<string, keyof Ids | null>> = {
  'Query.node(id)': 'plan',
  'Query.session(id)': 'session',
  'Query.message(id)': 'message',
  'Query.turn(id)': 'turn',
  'Query.task(id)': 'task',
  'Query.searchMessages(sessionId)': 'session',
  'ApprovalFilter.sessionId': 'session',
  'DelegationFilter.sessionId': 'session',
  'AuditFilter.sessionId': 'session',
  'AuditFilter.turnId': 'turn',
  'DeliveryFilter.sessionId': 'session',
  'FactFilter.sessionId': 'session',
  'LearningFilter.sessionId': 'session',
  'LearningFilter.similarTo': null,
  'ModelCallFilter.sessionId': 'session',
  'ModelCallFilter.turnId': 'turn',
  'QuestionFilter.sessionId': 'session',
  'TaskFilter.sessionId': 'session',
  'TaskFilter.turnId': 'turn',
  'AppendMessageInput.sessionId': 'session',
  'AppendMessageInput.messageId': null,
  'DecideApprovalInput.id': 'approval',
  'EraseUserInput.sessionId': 'session',
  'OpenSessionInput.id': 'session',
  'OpenSessionInput.previousSessionId': null,
  'SendMessageInput.sessionId': 'session',
  'CallToolInput.sessionId': 'session',
  'UpdateScheduleInput.id': 'schedule',
  'UpdateSessionInput.id': 'session',
  'AddParticipantInput.sessionId': 'session',
  'RemoveParticipantInput.sessionId': 'session',
  'CancelTurnInput.sessionId': 'session',
  'CancelTurnInput.turnId': 'turn',
  'RetryTurnInput.turnId': 'turn',
  'ForkSessionInput.sessionId': 'session',
  'ForkSessionInput.newSessionId': null,
  'CheckpointSessionInput.sessionId': 'session',
  'DeleteSessionInput.id': 'session',
  'EditQueuedMessageInput.id': 'queuedMessage',
  'WithdrawMessageInput.id': 'queuedMessage',
  'DeleteScheduleInput.id': 'schedule',
  'TriggerScheduleInput.id': 'schedule',
  'RedeliverInput.id': 'delivery',
  'CreateFactInput.sessionId': 'session',
  'EditFactInput.id': 'fact',
  'MergeFactsInput.ids': 'fact',
  'SetFactScopesInput.ids': 'fact',
  'DisputeFactInput.id': 'fact',
  'InvalidateFactInput.id': 'fact',
  'RestoreFactInput.id': 'fact',
  'RevertFactInput.id': 'fact',
  'ReviewFactInput.id': 'fact',
  'SetFactPinnedInput.id': 'fact',
  'UndoChangeInput.changeId': 'fact',
  'PromoteLearningInput.id': 'learning',
  'PromoteLearningInput.replacesFactId': 'fact',
  'AcceptProposalInput.id': 'proposal',
  'RejectProposalInput.id': 'proposal',
  'AskLearningInput.id': 'learning',
  'DiscardLearningInput.id': 'learning',
  'ReopenLearningInput.id': 'learning',
  'LearningDecisionInput.id': 'learning',
  'LearningDecisionInput.factId': 'fact',
  'CreateQuestionInput.sessionId': 'session',
  'ResolveQuestionInput.id': 'question',
  'Subscription.sessionEvents(sessionId)': 'session',
  'Subscription.pipelineSteps(sessionId)': 'session',
  'Subscription.messageOutputs(sessionId)': 'session',
}

/**
 * Texts that must be something in particular; others are "x". A text that may be left out is, unless it stands here.
 */
const TEXTS: Readonly<Record<string, string>> = {
  'CallToolInput.tool': 'delegation__delegate',
  'CreateScheduleInput.cron': '0 9 * * *',
  'AddParticipantInput.user': 'ada',
  'RemoveParticipantInput.user': 'ben',
  'UpdateSessionInput.description': 'x',
  'OpenSessionInput.description': 'x',
  'Query.plugin(name)': 'tester',
  // In every text of the examples.
  'Query.searchMessages(search)': 'cnry',
  'Query.cronFirings(cron)': '0 9 * * *',
}
/** Where connectors must say whom they speak for. */
const SENDERS = new Set([
  'AppendMessageInput.user',
  'SendMessageInput.user',
  'CallToolInput.user',
  'DecideApprovalInput.user',
])

export interface Asked {
  readonly ids: Ids
  /** The caller is a connector. */
  readonly isConnector: boolean
}

/** Value of an argument, as GraphQL; null: it is left out. `place`: "Query.session(id)", "SessionFilter.search". */
export type Choose = (type: GraphQLInputType, place: string) => string | null

/** Everything that must be given, and every id. */
export function plainValues({ ids, isConnector }: Asked): Choose {
  const choose: Choose = (type, place) => {
    const named = getNamedType(type)
    if (named.name === 'ID') {
      const kind = idKindOf(place)
      return kind === null ? null : list(type, JSON.stringify(ids[kind]))
    }
    if (SENDERS.has(place)) return isConnector ? '"somebody"' : null
    // A label that no session has would hide them all.
    if (place === 'SessionFilter.metadata') return null
    if (isInputObjectType(named)) return list(type, inputObject(named.getFields(), named.name, choose))
    const text = TEXTS[place]
    if (text !== undefined) return JSON.stringify(text)
    return isNonNullType(type) ? list(type, leafValue(type)) : null
  }
  return choose
}

export function idKindOf(place: string): keyof Ids | null {
  const kind = ID_ARGUMENTS[place]
  if (kind === undefined) throw new Error(`${place} is an id: say in ID_ARGUMENTS of what`)
  return kind
}

/**
 * A whole operation for a field of a root type: "Query.session". All of what it returns that needs no arguments is
 * asked for.
 */
export function operationFor(schema: GraphQLSchema, path: string, choose: Choose): string {
  const [typeName = '', fieldName = ''] = path.split('.')
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  const known = must(field, path)
  const selection = selectionOf(schema, getNamedType(known.type).name, 2)
  return `${typeName.toLowerCase()} { ${fieldName}${argumentsFor(typeName, known, choose)}${selection} }`
}

type AnyField = GraphQLField<unknown, unknown>

export function argumentsFor(typeName: string, field: AnyField, choose: Choose): string {
  const given = field.args.flatMap((one) => {
    const value = choose(one.type, `${typeName}.${field.name}(${one.name})`)
    return value === null ? [] : [`${one.name}: ${value}`]
  })
  return given.length === 0 ? '' : `(${given.join(', ')})`
}

export function inputObject(
  fields: Readonly<Record<string, GraphQLInputField>>,
  typeName: string,
  choose: Choose,
): string {
  const given = Object.values(fields).flatMap((field) => {
    const value = choose(field.type, `${typeName}.${field.name}`)
    return value === null ? [] : [`${field.name}: ${value}`]
  })
  return `{${given.join(', ')}}`
}

export function list(type: GraphQLInputType, value: string): string {
  const inner = isNonNullType(type) ? type.ofType : type
  return isListType(inner) ? `[${value}]` : value
}

export function leafValue(type: GraphQLInputType): string {
  const named = getNamedType(type)
  if (isEnumType(named)) return must(named.getValues()[0], named.name).name
  const values: Readonly<Record<string, string>> = {
    Int: '1',
    Float: '1',
    Boolean: 'true',
    String: '"x"',
    DateTime: '"2126-11-21T12:00:00Z"',
    JSON: '{}',
  }
  return must(values[named.name], `a value of ${named.name}`)
}

const isRequired = (one: GraphQLArgument): boolean => isNonNullType(one.type) && one.default === undefined

/** All fields of a type that want no arguments; of those that are things themselves, `depth - 1` further. */
function selectionOf(schema: GraphQLSchema, typeName: string, depth: number): string {
  const type = schema.getType(typeName)
  if (isObjectType(type)) return ` ${fieldsOf(schema, type, { depth })}`
  if (!isAbstractType(type)) return ''
  const members = depth < 2 ? [] : schema.getPossibleTypes(type)
  const inner = members.map((member) => `... on ${member.name} ${memberSelection(schema, member, depth)}`)
  return ` { __typename ${inner.join(' ')} }`
}

/** Members of a union may have fields of one name and different types: only payloads are asked for all of theirs. */
function memberSelection(schema: GraphQLSchema, member: GraphQLObjectType, depth: number): string {
  if (member.getInterfaces().some(({ name }) => name === 'Refusal')) return '{ __typename code problem }'
  if (member.name.endsWith('Payload')) return fieldsOf(schema, member, { depth })
  return '{ __typename }'
}

/** Nodes have an id; an event has none. */
function idOfNode(schema: GraphQLSchema, edge: GraphQLNamedType): string {
  const node = isObjectType(edge) ? getNamedType(edge.getFields()['node']?.type) : undefined
  const members = isAbstractType(node) ? schema.getPossibleTypes(node) : isObjectType(node) ? [node] : []
  return members.some((member) => member.getInterfaces().some(({ name }) => name === 'Node'))
    ? ' ... on Node { id }'
    : ''
}

function fieldsOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { depth, wants = () => true }: { readonly depth: number; readonly wants?: (field: AnyField) => boolean },
): string {
  const names = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type)
    if (field.args.some(isRequired) || !wants(field)) return []
    if (isLeafType(named)) return [field.name]
    if (field.name === 'edges') return [`edges { cursor node { __typename${idOfNode(schema, named)} } }`]
    return depth > 1 ? [`${field.name}${selectionOf(schema, named.name, depth - 1)}`] : []
  })
  return `{ ${['__typename', ...names].join(' ')} }`
}

/** How one comes to things of a type: puts a selection of its fields where it belongs. */
export interface Way {
  readonly typeName: string
  readonly around: (selection: string) => string
}

/** The ids by which `node` finds things, by type. */
const NODE_IDS: Readonly<Record<string, keyof Ids>> = {
  Session: 'session',
  Message: 'queuedMessage',
  Turn: 'turn',
  Plan: 'plan',
  Task: 'task',
  PersonMessage: 'personMessage',
  AgentText: 'agentText',
  Notice: 'notice',
  Approval: 'approval',
  Delegation: 'delegation',
  Delivery: 'delivery',
  Fact: 'fact',
  Learning: 'learning',
  Proposal: 'proposal',
  Question: 'question',
  Schedule: 'schedule',
  ScheduleRun: 'scheduleRun',
  User: 'user',
  Token: 'token',
  Plugin: 'plugin',
  ModelCallAudit: 'modelCallAudit',
  TaskAudit: 'taskAudit',
  ReviewAudit: 'reviewAudit',
  DeliveryAudit: 'deliveryAudit',
  KnowledgeAudit: 'knowledgeAudit',
  AccessDeniedAudit: 'accessDeniedAudit',
  ApprovalAudit: 'approvalAudit',
  ConfigAudit: 'configAudit',
  SessionAudit: 'sessionAudit',
}

/** Those that have no id there. */
export function typesWithoutId(schema: GraphQLSchema): readonly string[] {
  const node = schema.getType('Node')
  const members = isAbstractType(node) ? schema.getPossibleTypes(node) : []
  return members.map(({ name }) => name).filter((name) => !Object.hasOwn(NODE_IDS, name))
}

/** The shortest way to each object type that a query can show; first by `node`. */
export function waysTo(schema: GraphQLSchema, ids: Ids): ReadonlyMap<string, Way> {
  const choose = plainValues({ ids, isConnector: false })
  const ways = new Map<string, Way>()
  const add = (way: Way): void => void (ways.has(way.typeName) || ways.set(way.typeName, way))
  // In this order: what lies on the way to a thing is seen by all who see the thing.
  for (const [name, kind] of Object.entries(NODE_IDS)) {
    add({ typeName: name, around: (selection) => `{ node(id: "${ids[kind]}") { ... on ${name} ${selection} } }` })
  }
  add({ typeName: 'Query', around: (selection) => selection })
  // Grows while it is gone through.
  for (const way of ways.values()) {
    const type = schema.getType(way.typeName)
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const named = getNamedType(field.type)
      const head = `${field.name}${argumentsFor(way.typeName, field, choose)}`
      if (isObjectType(named)) add({ typeName: named.name, around: (inner) => way.around(`{ ${head} ${inner} }`) })
      if (!isAbstractType(named) || named.name === 'Node') continue
      for (const { name } of schema.getPossibleTypes(named)) {
        add({ typeName: name, around: (inner) => way.around(`{ ${head} { ... on ${name} ${inner} } }`) })
      }
    }
  }
  return ways
}

const FIELDS_AT_ONCE = 40

/** Ask for all fields of a type, each as briefly as can be: of what is not a leaf, only that it is there. */
export function documentsFor(schema: GraphQLSchema, way: Way, choose: Choose): readonly string[] {
  const type = schema.getType(way.typeName) as GraphQLObjectType
  const fields = Object.values(type.getFields()).map((field) => {
    const head = `${field.name}${argumentsFor(type.name, field, choose)}`
    const named = getNamedType(field.type)
    if (isLeafType(named)) return head
    return `${head} ${named.name.endsWith('Connection') ? '{ edges { __typename } }' : '{ __typename }'}`
  })
  // A root field that is refused takes the others with it.
  const size = type.name === 'Query' ? 1 : FIELDS_AT_ONCE
  const pieces = Array.from({ length: Math.ceil(fields.length / size) }, (_, n) =>
    fields.slice(n * size, (n + 1) * size),
  )
  return pieces.map((piece) => way.around(`{ __typename ${piece.join(' ')} }`))
}

export function objectTypes(schema: GraphQLSchema): readonly GraphQLObjectType[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !isIntrospectionType(type))
}
