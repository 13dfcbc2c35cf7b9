/**
 * `entry` of the events that tell what was said: the same entry as Session.conversation has, so that a page need not
 * read anything to append it, nor to show it changed.
 */
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import { MessageReceivedEvent, MessageUpdatedEvent, TextCompletedEvent } from '../session/session-event.ts'
import { stillThere } from '../still-there.ts'
import { ConversationEntryType, entryOf, type Entry } from './conversation-entry.ts'
import { readEntriesAt, type ConversationPlace } from './read-conversation.ts'

const APPENDED = 'The entry of the conversation, as it is now: where a page does not have it yet, it goes to the end.'
const CHANGED = 'The entry of the conversation, as it is now; its place is the same.'

builder.objectField(MessageReceivedEvent, 'entry', (t) =>
  t.field({ type: ConversationEntryType, description: APPENDED, resolve: readEntry }),
)

builder.objectField(TextCompletedEvent, 'entry', (t) =>
  t.field({ type: ConversationEntryType, description: APPENDED, resolve: readEntry }),
)

builder.objectField(MessageUpdatedEvent, 'entry', (t) =>
  t.field({ type: ConversationEntryType, description: CHANGED, resolve: readEntry }),
)

/** One batch serves events of all these types, which have one place in a document. */
async function readEntry(
  event: ConversationPlace,
  _args: object,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<Entry> {
  const found = loadAt({ context, info }, event, (events) => readEntriesAt(context.database, events))
  return entryOf(await stillThere(found.then((key) => key ?? null)))
}
