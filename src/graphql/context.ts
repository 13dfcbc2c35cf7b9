/**
 * What every resolver gets. The door fills in RequestContext; the schema adds what its resolvers need (loaders, use
 * cases).
 */
import type { CheckModelContext } from '../agents/check-model.ts'
import type { ApprovalsContext } from '../approvals/approvals-context.ts'
import type { AccessDenials } from '../audit/access-denials.ts'
import type { LiveConfig } from '../config/config.ts'
import type { PublicUrl } from '../config/public-url.ts'
import type { RedeliverContext } from '../delivery/redeliver.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { Skills } from '../execution/skills/skill-catalog.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import type { KnowledgeContext } from '../knowledge/admin/knowledge-context.ts'
import type { PeopleContext } from '../people/people-context.ts'
import type { PluginsContext } from '../plugins/change-plugin.ts'
import type { Clock } from '../platform/clock.ts'
import type { SecretStore } from '../secrets/secret-store.ts'
import type { Database } from '../store/database.ts'
import type { ApprovalNotifier } from './live/notify/approval-notifier.ts'
import type { AuditTrails } from './live/audit-trails.ts'
import type { RowNotifier } from './live/notify/row-notifier.ts'
import type { ScheduleNotifier } from './live/notify/schedule-notifier.ts'
import type { RequestContext } from './request-context.ts'
import type { ServerInfo } from './schema/server/server-info.ts'

/** What lives as long as the app and is the same for every request. */
export interface GraphQLServices {
  readonly database: Database
  readonly config: LiveConfig
  readonly clock: Clock
  /** For links to files. */
  readonly publicUrl: Pick<PublicUrl, 'linkTo'>
  /** What mutations hand to the use cases that they call. */
  readonly intake: IntakeContext
  readonly knowledge: KnowledgeContext
  readonly approvals: ApprovalsContext
  readonly people: PeopleContext
  readonly plugins: PluginsContext
  /** Where `approvalUpdates` comes from. */
  readonly approvalNotifier: Pick<ApprovalNotifier, 'follow'>
  /** Audits denied access: fields and things that the caller may not have. */
  readonly denials: Pick<AccessDenials, 'forbidden' | 'absent'>
  /** Where the updates of facts, learnings, questions and deliveries come from. */
  readonly rowNotifier: Pick<RowNotifier, 'follow'>
  /** Where `scheduleUpdates` comes from. */
  readonly scheduleNotifier: Pick<ScheduleNotifier, 'follow'>
  readonly skills: Skills
  readonly toolCatalog: Pick<ToolCatalog, 'snapshot' | 'holderOf'>
  readonly secrets: Pick<SecretStore, 'reload' | 'known' | 'redactLine'>
  readonly deliveries: RedeliverContext
  readonly modelChecks: CheckModelContext
  /** Where `auditTrail` comes from. */
  readonly auditTrails: Pick<AuditTrails, 'follow'>
  /** What the query `server` shows. */
  readonly server: ServerInfo
}

export interface GraphQLContext extends RequestContext, GraphQLServices {}

/** Called once per operation and once per event of a log view: loaders belong behind getters. */
export function createContext(services: GraphQLServices, request: RequestContext): GraphQLContext {
  return { ...services, ...request }
}
