/** `node(id:)` for entries of a conversation, which are no rows of their own. */
import { addLookup, brand } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { entryOf, entryTypeName, rowIdsOf, type Entry } from './conversation-entry.ts'
import { readEntriesAt, readTextsOf, type EntryKey } from './read-conversation.ts'
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
  if (task === null) return null
  const [text] = await readTextsOf(database, [task.id])
  return orNull(text ?? null)
}

function orNull(key: EntryKey | null): Entry | null {
  return key === null ? null : entryOf(key)
}
