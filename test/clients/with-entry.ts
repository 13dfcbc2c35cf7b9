/** A page with one entry more, at its end; the same page when it has that entry, or shows no session yet. */
import type { ChatQuery, EntryFragment } from '../generated/graphql.ts'

export function withEntry(page: ChatQuery, entry: EntryFragment): ChatQuery {
  const { session } = page
  if (session == null || session.conversation.edges.some(({ node }) => node.id === entry.id)) return page
  const added = { __typename: 'ConversationEdge', node: entry }
  const edges = [...session.conversation.edges, added]
  return { ...page, session: { ...session, conversation: { ...session.conversation, edges } } }
}
