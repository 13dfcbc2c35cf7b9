/** The files of a session, and those that a message names. */
import { must } from '../../../platform/must.ts'
import { builder } from '../builder.ts'
import { MessageType } from '../message/message.ts'
import { fromFront } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { upTo } from '../paging/page-sizes.ts'
import { SessionType } from '../session/session.ts'
import { MAX_ATTACHMENTS } from '../../../core/file/uploaded-file.ts'
import { readAttachments, readFilePages, type Attaching } from './read-files.ts'
import { SessionFileConnection, UploadedFileType } from './session-file.ts'

builder.prismaObjectField(SessionType, 'files', (t) =>
  t.field({
    type: SessionFileConnection,
    description: 'What people have put into it, and what its tasks have published, newest first.',
    args: fromFront(t),
    select: { id: true },
    resolve: async (session, args, context, info) => {
      const { database, clock } = context
      const wanted = { request: readPageRequest('files1', args, info), at: clock.now() }
      const page = await loadAt({ context, info }, session.id, (ids) => readFilePages(database, wanted, ids))
      return must(page, 'every session has a page')
    },
  }),
)

builder.prismaObjectField(MessageType, 'attachments', (t) =>
  t.field({
    type: [UploadedFileType],
    extensions: upTo(MAX_ATTACHMENTS, 1),
    description: 'The files that it names, as they are now; those that are gone are left out.',
    select: { sessionId: true, attachments: true },
    resolve: async (message, _args, context, info) => {
      const named: Attaching = message
      if (named.attachments.length === 0) return []
      const found = await loadAt({ context, info }, named, (all) => readAttachments(context.database, all))
      return [...(found ?? [])]
    },
  }),
)
