/** A text of a session that was given up on its way to the session's webhook, written straight into the tables. */
import { newId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'

export const SEEDED_WEBHOOK = 'https://hooks.example/services/secret?key=hush'

/** The webhook was set by the token "discord". Returns the delivery's id. */
export async function seedDelivery(database: Database, sessionId: string, taskId: string): Promise<string> {
  const id = newId('delivery')
  const webhook = { webhook: SEEDED_WEBHOOK, webhookToken: 'discord' }
  await database.prisma.session.update({ where: { id: sessionId }, data: webhook })
  await database.prisma.delivery.create({
    data: {
      id,
      sessionId,
      taskId,
      url: SEEDED_WEBHOOK,
      tokenName: 'discord',
      final: true,
      status: 'DEAD',
      attempts: 3,
      lastStatusCode: 500,
      lastError: 'The webhook answered 500.',
      createdAt: new Date('2026-11-21T12:00:00.000Z'),
    },
  })
  return id
}
