/** The search of what was said: `searchMessages`. */
import { excerptOf, MAX_EXCERPT_PARTS, type ExcerptPart } from '../../../core/text/excerpt.ts'
import { readSearchWords } from '../../../core/text/search-words.ts'
import { timeOfId } from '../../../platform/id.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { connectionOf, fromFront } from '../paging/connection-type.ts'
import { encodeCursor } from '../paging/cursor.ts'
import { loadAt } from '../paging/load-at.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { toPage, type Page } from '../paging/page.ts'
import { upTo } from '../paging/page-sizes.ts'
import { SessionRow } from '../session/session.ts'
import { stillThere } from '../still-there.ts'
import { badUserInput } from '../values/bad-user-input.ts'
import { checkSearch, MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { AuthorType, ConversationEntryType, entryOf } from './conversation-entry.ts'
import { readTexts, type EntryKey } from './read-conversation.ts'
import { searchConversations } from './search-conversations.ts'

/** As ten operations count for the rate: it may read for a second. */
const SEARCH_COST = 1000
/** As many as most excerpts have: one hit, and what stands around it. */
const ASSUMED_PARTS = 3

interface Match {
  readonly key: EntryKey
  /** To be marked. */
  readonly words: readonly string[]
}

interface Matches extends Page<Match> {
  readonly searchedBackTo: Date | null
}

const ExcerptPartType = builder.objectRef<ExcerptPart>('ExcerptPart').implement({
  description: 'A part of an excerpt, as plain text.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What it says.' }),
    isHit: t.exposeBoolean('isHit', { description: 'Whether it is one of the words that were searched for.' }),
  }),
})

const MessageMatchType = builder.objectRef<Match>('MessageMatch').implement({
  description: 'Something that was said, and has what was searched for.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    entry: t.field({
      type: ConversationEntryType,
      description: 'What was said, as the conversation of its session has it.',
      resolve: ({ key }) => entryOf(key),
    }),
    session: SessionRow.field(t, ({ key }) => key.sessionId, 'The session in which it was said.'),
    at: t.field({ type: 'DateTime', description: 'When it was said.', resolve: ({ key }) => key.at }),
    author: t.field({ type: AuthorType, description: 'Who said it.', resolve: ({ key }) => key }),
    excerpt: t.field({
      type: [ExcerptPartType],
      extensions: upTo(MAX_EXCERPT_PARTS, ASSUMED_PARTS),
      description: 'Some 240 characters around the first hit, in parts: their texts in a row are the excerpt.',
      resolve: async (match, _args, context, info) => {
        const { database } = context
        const texts = loadAt({ context, info }, match.key, (keys) => readTexts(database, keys))
        return [...excerptOf(await stillThere(texts.then((text) => text ?? null)), match.words)]
      },
    }),
  }),
})

const MessageMatchConnection = connectionOf<Match, Matches>(MessageMatchType, {
  name: 'MessageMatch',
  order: 'newest first',
})

builder.objectField(MessageMatchConnection, 'searchedBackTo', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description: 'What was said before then is not searched yet; null when all is. The next page goes on there.',
    resolve: ({ searchedBackTo }) => searchedBackTo,
  }),
)

builder.queryField('searchMessages', (t) =>
  t.field({
    type: MessageMatchConnection,
    authScopes: AUTHENTICATED,
    extensions: { cost: SEARCH_COST },
    description:
      'What people and the agent said in the sessions that you may see, where it has these words, newest first. One request reads so many ' +
      'texts and no more: with fewer matches than asked for, even none, there may be a next page (hasNextPage), which goes on behind ' +
      `endCursor. Costs ${SEARCH_COST} besides what it shows.`,
    args: {
      ...fromFront(t),
      search: t.arg.string({
        required: true,
        description:
          'Words, or parts of words, whatever the case, the width and the accents of their letters; all of them must be there. "or" ' +
          `between words, a minus before one and quotation marks around several work as in web search. At most ${MAX_SEARCH_LENGTH} characters.`,
      }),
      sessionId: t.arg.id({ description: 'Only in this session.' }),
    },
    resolve: async (_root, { search, sessionId, ...args }, context, info) => {
      const request = readPageRequest('matches1', args, info)
      const alternatives = readSearchWords(checkSearch(search))
      if (alternatives.length === 0) throw badUserInput('"search" must have a word that is to be found.')
      const { found, searchedTo } = await searchConversations(context, {
        viewer: context.viewer,
        alternatives,
        sessionId: sessionId ?? null,
        after: request.after?.[0] ?? null,
        size: request.size,
      })
      const words = alternatives.flatMap((one) => one.words)
      const rows = found.map(({ place, entry }) => ({ node: { key: entry, words }, position: [place] as [string] }))
      const page = toPage('matches1', request, rows)
      if (searchedTo === null) return { ...page, searchedBackTo: null }
      const pageInfo = { ...page.pageInfo, hasNextPage: true, endCursor: encodeCursor('matches1', [searchedTo]) }
      return { ...page, pageInfo, searchedBackTo: timeOfId(searchedTo) }
    },
  }),
)
