/**
 * Reads from a subscription what the hub needs: which log view it asks for, of which session, from which cursor, and
 * with whom it can share. Two subscriptions with equal `shareKey` and equal access class get the same bytes for the
 * same event.
 */
import {
  getArgumentValues,
  GraphQLError,
  Kind,
  print,
  validateSubscriptionArgs,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidatedSubscriptionArgs,
} from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { assert, must } from '../../platform/must.ts'
import { logViewOf, type LogView } from '../live/log-view.ts'
import { EXECUTION_OPTIONS } from './operation-limits.ts'

export interface LogOperation {
  readonly kind: 'log'
  readonly view: LogView
  /** The name of the subscription field. */
  readonly field: string
  readonly sessionId: string
  /** Null: from now on. */
  readonly after: number | null
  readonly shareKey: string
  /** It asks for what differs between viewers of one access class. */
  readonly isPersonal: boolean
  /** To execute an event with; its root and context values are set for each. */
  readonly args: ValidatedSubscriptionArgs
}

/** A valid subscription; variables are still as the client sent them. */
export interface SubscriptionRequest {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

export type ReadLogOperation = LogOperation | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[] }

/** Null: the subscription is of another kind. */
export function readLogOperation(schema: GraphQLSchema, request: SubscriptionRequest): ReadLogOperation | null {
  const { document, operation, operationName, variables } = request
  const root = rootField(document, operation.selectionSet)
  const field = schema.getSubscriptionType()?.getFields()[root.name.value]
  const readView = field === undefined ? null : logViewOf(field.extensions)
  if (field === undefined || readView === null) return null
  const given = { schema, document, operationName, variableValues: variables }
  const args = validateSubscriptionArgs({ ...given, options: EXECUTION_OPTIONS })
  if (!('schema' in args)) return { kind: 'refused', errors: args }
  let values: Record<string, unknown>
  try {
    values = getArgumentValues(field, root, args.variableValues)
  } catch (error) {
    if (error instanceof GraphQLError) return { kind: 'refused', errors: [error] }
    throw error
  }
  const after = (values['after'] ?? null) as number | null
  if (after !== null && after < 0)
    return { kind: 'refused', errors: [badCursor(`"after" is ${after}; it must be 0 or more.`)] }
  const sessionId = values['sessionId'] as string
  return {
    kind: 'log',
    view: readView(values),
    field: root.name.value,
    sessionId,
    after,
    shareKey: shareKeyOf(root, request),
    isPersonal: usesPersonalField(document),
    args,
  }
}

/** Whom executions of the operation are for: they are shared by those for whom this is equal. */
export function audienceOf({ isPersonal }: Pick<LogOperation, 'isPersonal'>, viewer: Viewer): Viewer {
  return isPersonal ? viewer : accessClassOf(viewer)
}

/** What viewers of one class are all shown: nothing in it tells them apart. */
export function accessClassOf(viewer: Viewer): Viewer {
  const user = viewer.user === null ? null : { name: '', role: viewer.user.role }
  return { tokenName: '', tokenKind: viewer.tokenKind, namespace: viewer.namespace, user, role: viewer.role }
}

export function badCursor(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}

/** The cursor is what subscribers of one stream may differ in, as long as it serves as nothing else. */
function shareKeyOf(root: FieldNode, { document, operationName, variables }: SubscriptionRequest): string {
  const after = root.arguments?.find((argument) => argument.name.value === 'after')?.value
  const cursor = after?.kind === Kind.VARIABLE ? after.name.value : null
  const shared = cursor !== null && usesOf(document, cursor) === 1 ? { ...variables, [cursor]: undefined } : variables
  return JSON.stringify([document.loc?.source.body ?? print(document), operationName, shared])
}

/** How often a variable is used; its definition does not count. */
function usesOf(document: DocumentNode, variable: string): number {
  let uses = 0
  visit(document, {
    VariableDefinition: () => false,
    Variable: (node) => void (uses += node.name.value === variable ? 1 : 0),
  })
  return uses
}

/**
 * The one root field of a valid subscription; it may stand in fragments, and more than once with the same arguments.
 */
function rootField(document: DocumentNode, { selections }: SelectionSetNode): FieldNode {
  const selection = must(selections[0], 'a selection set holds something')
  if (selection.kind === Kind.FIELD) return selection
  if (selection.kind === Kind.INLINE_FRAGMENT) return rootField(document, selection.selectionSet)
  const name = selection.name.value
  const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name)
  assert(fragment?.kind === Kind.FRAGMENT_DEFINITION, `a valid document defines its fragments: ${name}`)
  return rootField(document, fragment.selectionSet)
}

/** By its name, wherever it stands: no field of this name may be shared (schema/viewer-can). */
function usesPersonalField(document: DocumentNode): boolean {
  let isUsed = false
  visit(document, { Field: ({ name }) => void (isUsed ||= name.value === 'viewerCan') })
  return isUsed
}
