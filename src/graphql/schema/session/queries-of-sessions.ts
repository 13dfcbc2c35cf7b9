/** Queries for sessions: one by id, and the list of all that the viewer may see. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { badUserInput } from '../values/bad-user-input.ts'
import { MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { PAGING } from '../paging/connection-type.ts'
import { ConversationTypeEnum, SessionStatusEnum } from '../enums.ts'
import { loadInOrder } from '../paging/load-in-order.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { countSessions, readSessionPage } from './read-session-page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { SessionConnection, SessionRow } from './session.ts'

const MAX_METADATA_FILTERS = 10

const MetadataFilterInput = builder.inputType('MetadataFilter', {
  description: 'An entry of the metadata of sessions.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key, at the top of the metadata.' }),
    value: t.string({
      required: true,
      description: 'The text there, exactly. Only texts of up to 255 characters are found, no numbers and no objects.',
    }),
  }),
})

const SessionFilterInput = builder.inputType('SessionFilter', {
  description: 'Which sessions to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Only those in one of these states.' }),
    sourceKind: t.stringList({ description: 'Only those from one of these kinds of client, such as "cli".' }),
    conversationType: t.field({ type: ConversationTypeEnum, description: 'Only those of this type.' }),
    participant: t.string({ description: 'Only those in which this user participates.' }),
    search: t.string({
      description: `Only those whose description contains this text, in upper or lower case. At most ${MAX_SEARCH_LENGTH} characters.`,
    }),
    metadata: t.field({
      type: [MetadataFilterInput],
      description: `Only those whose metadata has all of these entries; at most ${MAX_METADATA_FILTERS}.`,
    }),
    includeInactive: t.boolean({
      description: 'INACTIVE ones too. They are left out unless this or "status" asks for them.',
    }),
  }),
})

SessionRow.query('session', {
  description: 'The session with this id; null when there is none that you may see.',
  id: 'Its id, such as "cli:demo".',
})

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    authScopes: AUTHENTICATED,
    description: 'The sessions that you may see, newest activity first.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({
        type: SessionFilterInput,
        description: 'Which of them; all but the INACTIVE ones when left out.',
      }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      const request = readPageRequest('sessions1', args, info)
      if ((filter?.metadata?.length ?? 0) > MAX_METADATA_FILTERS)
        throw badUserInput(`"metadata" must have at most ${MAX_METADATA_FILTERS} entries.`)
      const keys = await readSessionPage(database, { viewer, filter: filter ?? {}, request })
      const query = selectNodes({ context, info }, 'Session', { id: true })
      const placed = await loadInOrder(keys, (ids) =>
        database.prisma.session.findMany({ ...query, where: { id: { in: ids } } }),
      )
      const rows = placed.map(({ key, node }) => ({
        node,
        position: [key.at.toISOString(), key.id] as [string, string],
      }))
      const totalCount = () => countSessions(database, { viewer, filter: filter ?? {} })
      return { ...toPage('sessions1', request, rows), totalCount }
    },
  }),
)
