/** A file that a task has published, and where its bytes are to be had (src/graphql/files/serve-file.ts). */
import { publishedUrlPath } from '../../../core/file/published-file.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { MOSTLY_ONE } from '../paging/page-sizes.ts'
import { TaskType } from './task.ts'

builder.prismaObject('PublishedFile', {
  description: 'A file that a task has published: a copy, as it was when the task ended. It never changes.',
  authScopes: AUTHENTICATED,
  select: { id: true },
  fields: (t) => ({
    fileId: t.exposeID('id', { description: 'Begins with "pub_". Who knows it can read the file.' }),
    name: t.exposeString('name', { description: 'What to save it as; folders below pub/ are part of it.' }),
    size: t.expose('size', { type: 'Count', description: 'Bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type, by the extension of its name.' }),
    url: t.string({
      description:
        'Where it is, for anybody who has this link: as a download, or with "?inline" in the browser if it is an image or plain text.',
      resolve: ({ id }, _args, { publicUrl }) => publicUrl.linkTo(publishedUrlPath(id)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when it is no longer there; null: it stays as long as its session.',
    }),
  }),
})

builder.prismaObjectField(TaskType, 'files', (t) =>
  t.relation('files', {
    extensions: MOSTLY_ONE,
    description: 'What its command or skill has written to pub/, except files that have expired.',
    query: (_args, { clock }) => ({
      where: { OR: [{ expiresAt: null }, { expiresAt: { gt: clock.now() } }] },
      orderBy: { name: 'asc' },
    }),
  }),
)
