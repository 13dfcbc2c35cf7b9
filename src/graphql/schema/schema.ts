/**
 * Builds the GraphQL schema from the type files of this folder. Called once by app.ts, and by scripts/print-schema.ts.
 */
import type { GraphQLSchema } from 'graphql'
import { countAnswers } from '../count-answers.ts'
import { assertEveryFieldHasAccessRule } from './access.ts'
import { builder } from './builder.ts'
import './scalars.ts'
import './viewer.ts'
import './server.ts'
import './skill.ts'
import './session-lists.ts'
import './plan.ts'
import './published-file.ts'
import './approvals-of-session.ts'
import './fact-turns.ts'
import './session-questions.ts'
import './session-view.ts'
import './schedule-run.ts'
import './query-node.ts'
import './queries-of-sessions.ts'
import './queries-in-sessions.ts'
import './queries-of-knowledge.ts'
import './queries-of-audit.ts'
import './queries-of-deliveries.ts'
import './queries-of-schedules.ts'
import './queries-of-approvals.ts'
import './mutations-of-sessions.ts'
import './mutations-of-messages.ts'
import './mutations-of-checkpoints.ts'
import './mutations-of-erasure.ts'
import './mutations-of-secrets.ts'
import './mutations-of-deliveries.ts'
import './mutations-of-approvals.ts'
import './mutations-of-facts.ts'
import './mutations-of-learnings.ts'
import './mutations-of-questions.ts'
import './mutations-of-schedules.ts'
import './subscriptions.ts'
import './subscriptions-of-knowledge.ts'
import './subscriptions-of-audit.ts'

builder.queryType({ description: 'What there is. Reading changes nothing.' })
builder.mutationType({ description: 'What clients can change. What a client can act on is a member of the result.' })

/** Sorted by name. Throws when a field has no access rule. */
export function buildSchema(): GraphQLSchema {
  const schema = builder.toSchema({ sortSchema: true })
  assertEveryFieldHasAccessRule(schema)
  return countAnswers(schema)
}
