/**
 * Builds the GraphQL schema from the type files of the folders below. Called once by app.ts, and by
 * scripts/print-schema.ts.
 */
import type { GraphQLSchema } from 'graphql'
import { countAnswers } from '../operation/count-answers.ts'
import { assertEveryFieldHasAccessRule } from './access.ts'
import { builder } from './builder.ts'
import { readLoadedColumns } from './loaded-columns.ts'
import { refuseGoneRows } from './refuse-gone-rows.ts'
import './values/scalars.ts'
import './people/viewer.ts'
import './server/server.ts'
import './server/skill.ts'
import './server/mcp-server.ts'
import './server/tool.ts'
import './server/server-process.ts'
import './server/configuration.ts'
import './server/deploy-secret.ts'
import './plugin/plugin-manifest.ts'
import './plugin/queries-of-plugins.ts'
import './server/queries-of-budgets.ts'
import './session/session-lists.ts'
import './conversation/session-conversation.ts'
import './conversation/entry-of-event.ts'
import './turn/plan.ts'
import './turn/published-file.ts'
import './file/files-of-session.ts'
import './approval/approvals-of-session.ts'
import './delegation/delegation-of-session.ts'
import './delegation/queries-of-delegations.ts'
import './fact/fact-disputes.ts'
import './fact/fact-turns.ts'
import './question/session-questions.ts'
import './session/session-view.ts'
import './schedule/schedule-run.ts'
import './conversation/find-entry.ts'
import './conversation/query-of-matches.ts'
import './viewer-can/session-actions.ts'
import './viewer-can/message-actions.ts'
import './viewer-can/approval-actions.ts'
import './viewer-can/schedule-actions.ts'
import './viewer-can/admin-actions.ts'
import './query-node.ts'
import './session/queries-of-sessions.ts'
import './session/queries-in-sessions.ts'
import './fact/queries-of-facts.ts'
import './question/queries-of-questions.ts'
import './fact/fact-diff.ts'
import './learning/queries-of-learnings.ts'
import './learning/learning-groups.ts'
import './learning/learning-changes.ts'
import './proposal/queries-of-proposals.ts'
import './proposal/mutations-of-proposals.ts'
import './audit/queries-of-audit.ts'
import './audit/queries-of-usage.ts'
import './audit/query-of-audit-chain.ts'
import './audit/queries-of-model-calls.ts'
import './message/queries-of-deliveries.ts'
import './schedule/queries-of-schedules.ts'
import './schedule/query-of-firings.ts'
import './approval/queries-of-approvals.ts'
import './people/queries-of-people.ts'
import './people/mutations-of-users.ts'
import './people/mutations-of-linking.ts'
import './people/mutations-of-tokens.ts'
import './session/mutations-of-sessions.ts'
import './message/mutations-of-messages.ts'
import './turn/mutations-of-checkpoints.ts'
import './session/mutations-of-erasure.ts'
import './session/mutations-of-forks.ts'
import './session/mutations-of-secrets.ts'
import './server/mutation-of-models.ts'
import './message/mutations-of-deliveries.ts'
import './approval/mutations-of-approvals.ts'
import './learning/learning-known.ts'
import './fact/mutations-of-changes.ts'
import './fact/mutations-of-scopes.ts'
import './fact/mutations-of-facts.ts'
import './learning/mutation-of-many-learnings.ts'
import './learning/mutations-of-learnings.ts'
import './question/mutations-of-questions.ts'
import './schedule/mutations-of-schedules.ts'
import './plugin/mutations-of-plugins.ts'
import './session/subscriptions.ts'
import './audit/subscriptions-of-audit.ts'

builder.queryType({ description: 'What there is. Reading changes nothing.' })
builder.mutationType({ description: 'What clients can change. What a client can act on is a member of the result.' })

let built: GraphQLSchema | null = null

/** Sorted by name; one for the whole process, since it holds no state. Throws when a field has no access rule. */
export function buildSchema(): GraphQLSchema {
  return (built ??= build())
}

function build(): GraphQLSchema {
  const schema = builder.toSchema({ sortSchema: true })
  assertEveryFieldHasAccessRule(schema)
  return countAnswers(refuseGoneRows(readLoadedColumns(schema)))
}
