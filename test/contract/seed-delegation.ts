/** A delegated task that is about to be sent, written straight into the tables. */
import { newId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'

/** Returns its id. */
export async function seedDelegation(
  database: Database,
  of: { readonly sessionId: string; readonly turnId: string; readonly taskId: string },
): Promise<string> {
  const id = newId('delegation')
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + 3_600_000)
  const who = { userName: 'bob', tokenName: 'bob', messageId: newId('message'), mode: 'PLAN' } as const
  const limits = { depth: 1, share: 0.5, tools: ['*'], strangers: false, task: 'Look it up.', expect: 'A number.' }
  await database.prisma.delegation.create({ data: { id, ...of, ...who, ...limits, createdAt, expiresAt } })
  return id
}
