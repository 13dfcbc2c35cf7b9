/** What a program has published (src/execution/workspace/publish-files.ts), as the turn records it and tells of it. */
import { contentTypeOf, publishedUrlPath } from '../../core/file/published-file.ts'
import type { NewPublishedFile } from '../../core/turn-write.ts'
import type { Publication } from '../../execution/workspace/publication.ts'
import type { TurnContext } from '../turn-context.ts'

/** The rows to be written together with the end of the task. */
export function filesOf(
  { turn, clock, config }: Pick<TurnContext, 'turn' | 'config' | 'clock'>,
  taskId: string,
  { files }: Publication,
): NewPublishedFile[] {
  const { publishedFileTtlMs } = config.current().settings
  const createdAt = clock.now()
  const expiresAt = publishedFileTtlMs === 0 ? null : new Date(createdAt.getTime() + publishedFileTtlMs)
  const { userName } = turn
  return files.map((file) => ({
    ...file,
    taskId,
    contentType: contentTypeOf(file.name),
    userName,
    createdAt,
    expiresAt,
  }))
}

/** `stderr` with what the reviewer, the messenger and people must know of the files. */
export function withFileNotes(
  { publicUrl }: Pick<TurnContext, 'publicUrl'>,
  stderr: string,
  { files, notes }: Publication,
): string {
  const published = files.map(
    ({ id, name, size }) => `Published ${name} (${size} bytes): ${publicUrl.linkTo(publishedUrlPath(id))}`,
  )
  return [...(stderr === '' ? [] : [stderr.replace(/\n$/, '')]), ...published, ...notes].join('\n')
}
