/** `node(id:)` for entries of a conversation, which are no rows of their own. */
import { addLookup, brand } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { entryOf, entryTypeName, rowIdsOf, type Entry } from './conversation-entry.ts'
import { readEntriesAt, readTextOf, type EntryKey } from './read-conversation.ts'
import type { GraphQLContext } from '../../context.ts'

addLookup('conversationEntry', async (id, context) => {
  const entry = await findEntry(context, id)
  return entry === null ? null : brand(entryTypeName(entry), entry)
})

async function findEntry({ database, viewer }: GraphQLContext, id: string): Promise<Entry | null> {
  const { messageId, taskId } = rowIdsOf(id)
  const { prisma } = database
  const message = await prisma.message.findFirst({
    where: inVisibleSession(viewer, messageId),
    select: { sessionId: true, seq: true },
  })
  if (message !== null) return orNull((await readEntriesAt(database, [message])).get(message) ?? null)
  const task = await prisma.task.findFirst({ where: inVisibleSession(viewer, taskId), select: { id: true } })
  return task === null ? null : orNull(await readTextOf(database, task.id))
}

function orNull(key: EntryKey | null): Entry | null {
  return key === null ? null : entryOf(key)
}
