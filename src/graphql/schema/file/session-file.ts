/** A file of a session: one that a person put in, or that a task has published. */
import { publishedUrlPath } from '../../../core/file/published-file.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { connectionOf } from '../paging/connection-type.ts'
import type { SessionFile } from './read-files.ts'

const FileOriginEnum = builder.enumType('FileOrigin', {
  description: 'How a file came into a session.',
  values: {
    UPLOADED: { description: 'A person sent it: it lies in uploads/ of the workspace.' },
    PUBLISHED: { description: 'A task has published it: a copy that never changes, with a link.' },
  } as const,
})

export const UploadedFileType = builder.objectRef<SessionFile>('UploadedFile').implement({
  description: 'A file that a person put into a session. It lies in uploads/ of the workspace.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name; uploading another one of this name replaces it.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type, by the extension of its name.' }),
    user: t.exposeString('userName', { nullable: true, description: 'Who sent it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it came.' }),
  }),
})

const SessionFileType = builder.objectRef<SessionFile>('SessionFile').implement({
  description: 'An entry of the files of a session.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    origin: t.expose('origin', { type: FileOriginEnum, description: 'How it came.' }),
    name: t.exposeString('name', { description: 'Its name; uploading another one of this name replaces it.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type, by the extension of its name.' }),
    user: t.exposeString('userName', {
      nullable: true,
      description: 'Who sent it, or whose turn has published it; null when that is not known.',
    }),
    url: t.string({
      nullable: true,
      description: 'Where a published file is, for anybody who has this link; null for one that was uploaded.',
      resolve: ({ id, origin }, _args, { publicUrl }) =>
        origin === 'PUBLISHED' ? publicUrl.linkTo(publishedUrlPath(id)) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it came, or was published.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when it is no longer there; null: it stays as long as its session.',
    }),
  }),
})

export const SessionFileConnection = connectionOf<SessionFile>(SessionFileType, {
  name: 'SessionFile',
  order: 'newest first',
})
