/** An approval that waits for a decision, written straight into the tables. */
import { newId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'

/** For bob's turn. Returns its id. */
export async function seedApproval(
  database: Database,
  of: { readonly sessionId: string; readonly turnId: string; readonly taskId: string },
): Promise<string> {
  const id = newId('approval')
  const createdAt = new Date('2026-11-21T12:00:00.000Z')
  const expiresAt = new Date('2126-11-21T12:00:00.000Z')
  const asked = { kind: 'TASK', reason: 'Commands need an approval.', userName: 'bob' } as const
  await database.prisma.approval.create({ data: { ...of, id, ...asked, createdAt, expiresAt } })
  await database.prisma.session.update({ where: { id: of.sessionId }, data: { openApprovals: 1 } })
  return id
}
