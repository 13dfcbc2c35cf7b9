/** The query for calls of language models with what was said in them: admins' alone. */
import { must } from '../../../platform/must.ts'
import { AGENT_ROLES } from '../../../core/model-call.ts'
import type { StoredAuditEntry } from '../../../core/audit-entry.ts'
import { readAuditPage } from '../../../store/audit-reads.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { toPage } from '../paging/page.ts'
import { matchable } from '../values/matchable.ts'
import { ModelCallConnection, type ModelCallEntry } from './audit-entry.ts'
import { readAuditFilter } from './queries-of-audit.ts'

const ModelCallFilterInput = builder.inputType('ModelCallFilter', {
  description: 'Which calls: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    sessionId: t.id({ description: 'Only those of this session, which may be deleted.' }),
    turnId: t.id({ description: 'Only those of this turn.' }),
    user: t.string({ description: 'Only those for turns of this user.' }),
    role: t.stringList({ description: `Only those as one of these: ${[...AGENT_ROLES, 'embedder'].join(', ')}.` }),
    outcome: t.stringList({ description: 'Only those that ended so: "OK", or the code of an error.' }),
    from: t.field({ type: 'DateTime', description: 'Only calls made then or later.' }),
    to: t.field({ type: 'DateTime', description: 'Only calls made before then.' }),
  }),
})

builder.queryField('modelCalls', (t) =>
  t.field({
    type: ModelCallConnection,
    nullable: true,
    authScopes: { admin: true },
    description:
      'The calls of language models, newest first: their entries in the audit, and under "texts" what was said, as long as it is kept. ' +
      'For admins.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: ModelCallFilterInput, description: 'Which calls; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, { database }, info) => {
      const request = readPageRequest('audit1', args, info)
      const after = request.after === null ? null : { at: new Date(request.after[0]), id: request.after[1] }
      const { user, role, outcome, ...rest } = filter ?? {}
      const entries = await readAuditPage(database, {
        filter: {
          ...readAuditFilter({ ...rest, actor: user }),
          kind: ['MODEL_CALL'],
          role: (role ?? []).map(matchable),
          outcome: (outcome ?? []).map(matchable),
        },
        after,
        limit: request.size + 1,
      })
      const calls = entries.map((entry) => ({
        node: asCall(entry),
        position: [entry.at.toISOString(), entry.id] as [string, string],
      }))
      return toPage('audit1', request, calls)
    },
  }),
)

function asCall({ body, ...entry }: StoredAuditEntry): ModelCallEntry {
  return { ...entry, body: must(body.kind === 'MODEL_CALL' ? body : null, 'only calls were read') }
}
