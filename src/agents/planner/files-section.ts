/** What the planner is told of files that people have sent. Their names are theirs: data. */
import { UPLOADS_FOLDER } from '../../core/file/uploaded-file.ts'
import type { ReceivedFile } from '../agent.ts'
import type { Fence } from '../prompt/fence.ts'
import { nameUser } from '../prompt/name-sender.ts'
import { oneLine } from '../prompt/one-line.ts'

/** Empty when none was sent. */
export function describeFiles(files: readonly ReceivedFile[], fence: Fence): string[] {
  if (files.length === 0) return []
  return [`# Files that people have sent\n\n${fence.wrap('DATA_FILES', files.map(describeFile).join('\n'))}`]
}

function describeFile({ name, size, userName, attached, isThere }: ReceivedFile): string {
  const notes = [
    `${size} bytes`,
    `from ${oneLine(nameUser(userName))}`,
    ...(attached ? ['sent with the message'] : []),
    ...(isThere ? [] : ['not in the workspace of this turn']),
  ]
  return `- ${UPLOADS_FOLDER}/${oneLine(name)} (${notes.join(', ')})`
}
