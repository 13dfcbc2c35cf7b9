import { buildSchema as buildFromText, extendSchema, isObjectType, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { assertEveryFieldHasAccessRule, AUTHENTICATED, deniedError, grantedScopes } from './access.ts'
import { logViewOf } from '../live/log-view.ts'
import { buildSchema } from './schema.ts'

const schema = buildSchema()

describe('a schema with a field that nobody gave a rule is refused', () => {
  test.each([
    ['a query', 'extend type Query { secrets: String }', 'Query.secrets'],
    ['a mutation', 'extend type Mutation { reset: Boolean }', 'Mutation.reset'],
    ['a subscription', 'extend type Subscription { secrets: String }', 'Subscription.secrets'],
    ['a type', 'type Secret { text: String } extend union SendMessageResult = Secret', 'Secret.text'],
  ])('%s', (_what, addition, name) => {
    expect(() => assertEveryFieldHasAccessRule(extendSchema(schema, parse(addition)))).toThrow(name)
  })

  test('a whole schema without rules', () => {
    expect(() => assertEveryFieldHasAccessRule(buildFromText('type Query { a: Int }'))).toThrow('Query.a')
  })
})

test('the root types themselves have no rule: every field of them names its own', () => {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    expect(type?.extensions['pothosOptions']).not.toHaveProperty('authScopes')
  }
})

test('log views are for all known tokens: the hub that serves them does not read rules', () => {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  const views = fields.filter((field) => logViewOf(field.extensions) !== null)
  expect(views.map((field) => field.name)).toEqual(['messageOutputs', 'pipelineSteps', 'sessionEvents'])
  for (const view of views) expect(view.extensions['pothosOptions']).toMatchObject({ authScopes: AUTHENTICATED })
})

test('a type that events can reach is for all known tokens as well', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !type.getInterfaces().some(({ name }) => name === 'SessionEvent')) continue
    expect(type.extensions['pothosOptions']).toMatchObject({ authScopes: AUTHENTICATED })
  }
})

test('who may do what', () => {
  const viewer = { tokenName: 't', tokenKind: 'USER', namespace: null, user: { name: 'u', role: 'USER' } } as const
  expect(grantedScopes(null)).toEqual({ authenticated: false, admin: false })
  expect(grantedScopes({ ...viewer, role: 'USER' })).toEqual({ authenticated: true, admin: false })
  expect(grantedScopes({ ...viewer, role: 'ADMIN' })).toEqual({ authenticated: true, admin: true })
  expect(deniedError(null).extensions).toEqual({ code: 'UNAUTHENTICATED' })
  expect(deniedError({ ...viewer, role: 'USER' }).extensions).toEqual({ code: 'FORBIDDEN' })
})
