/** The newest seal over the audit, and whether what a day has sealed is as it was: admins' alone. */
import type { Seal } from '../../../audit/seal-rows.ts'
import { verifyAudit, type AuditReport } from '../../../audit/verify-audit.ts'
import type { Database } from '../../../store/database.ts'
import { builder } from '../builder.ts'

const ADMIN = { admin: true } as const
/** Some seconds of reading, for which one connection is held. */
const MAX_ENTRIES = 200_000
const MAX_SEAL = 'The newest seal that was checked; null when there is none.'

const AuditSealType = builder.objectRef<Seal>('AuditSeal').implement({
  description:
    'A hash over entries of the audit and over the seal before. Keep number and hash of the newest one elsewhere, to see ' +
    'later that none was removed at the end.',
  authScopes: ADMIN,
  fields: (t) => ({
    number: t.exposeInt('n', { description: 'Its place in the chain, from 1.' }),
    hash: t.string({ description: '64 hexadecimal digits.', resolve: ({ hash }) => hash.toString('hex') }),
    sealedAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ sealedAt }) => new Date(sealedAt),
    }),
  }),
})

const AuditCheckType = builder.objectRef<AuditReport>('AuditCheck').implement({
  description: 'What recomputing the chain came to.',
  authScopes: ADMIN,
  fields: (t) => ({
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'The first thing that does not fit, for people: what follows it proves nothing. Null: all fits.',
    }),
    complete: t.boolean({
      description: `All seals of the day were checked. False: there was a problem, or there are more than ${MAX_ENTRIES} entries; "factotum audit verify" reads all.`,
      resolve: ({ isComplete }) => isComplete,
    }),
    sealCount: t.field({ type: 'Count', description: 'Seals that fit.', resolve: ({ seals }) => seals }),
    entryCount: t.field({ type: 'Count', description: 'Entries under them.', resolve: ({ entries }) => entries }),
    lateCount: t.field({
      type: 'Count',
      description: 'Entries that are older than a minute and under no seal yet: no server was there to seal them.',
      resolve: ({ lateEntries }) => lateEntries,
    }),
    head: t.expose('head', { type: AuditSealType, nullable: true, description: MAX_SEAL }),
  }),
})

builder.queryField('auditCheck', (t) =>
  t.field({
    type: AuditCheckType,
    nullable: true,
    authScopes: ADMIN,
    description: 'Recomputes the chain over the audit of one day; takes some seconds for a busy one. For admins.',
    args: {
      at: t.arg({ type: 'DateTime', description: 'Any moment of the day (UTC); today when left out.' }),
    },
    resolve: (_root, { at }, { database, clock }) => checkDay(database, (at ?? clock.now()).toISOString().slice(0, 10)),
  }),
)

const OF_ONE_MOMENT = { name: '', text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' }

function checkDay(database: Database, day: string): Promise<AuditReport> {
  return database.transaction(async (transaction) => {
    await transaction.query(OF_ONE_MOMENT, [])
    return verifyAudit((statement, values) => transaction.query(statement, values), { day, maxEntries: MAX_ENTRIES })
  })
}
