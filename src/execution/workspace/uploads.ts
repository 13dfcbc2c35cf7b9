/** How uploads come into workspaces: made once in app.ts, used by the door and by intake. */
import type { Readable } from 'node:stream'
import { lstatSync } from 'node:fs'
import { MAX_UPLOAD_BYTES, UPLOADS_FOLDER } from '../../core/file/uploaded-file.ts'
import type { Database } from '../../store/database.ts'
import { readWorkspaceUsage, recordWorkspaceBytes } from '../../store/files/workspace-usage.ts'
import { DEFAULT_COMMAND_LIMITS } from '../command-limits.ts'
import { OUTPUTS_FOLDER, outputNamesOf } from '../output/plan-outputs.ts'
import { placeUpload, removeFromWorkspaces, type UploadPlace } from './place-upload.ts'
import { copyStaged, discardStaged, stageUpload, type StagedUpload } from './staged-upload.ts'
import { measureUsage } from './workspace-quota.ts'
import { workspacePath } from './workspace.ts'

type PathInWorkspace = (place: Omit<UploadPlace, 'home'>) => string | null

/** Files that people put into the workspace of a session (src/graphql/files/receive-file.ts). */
export class Uploads {
  /** What one workspace may have. */
  readonly workspaceBytes = DEFAULT_COMMAND_LIMITS.workspaceBytes
  readonly #home: string
  readonly #database: Database

  constructor({ home, database }: { readonly home: string; readonly database: Database }) {
    this.#home = home
    this.#database = database
  }

  /** Null: there are more bytes than a file may have. Rejects, and leaves nothing, when they stop coming. */
  stage(bytes: Readable, signal: AbortSignal, maxBytes = MAX_UPLOAD_BYTES): Promise<StagedUpload | null> {
    return stageUpload(this.#home, bytes, { maxBytes, signal })
  }

  /** Repeatable; no error when it is in a workspace by now. */
  discard(staged: StagedUpload): Promise<void> {
    return discardStaged(staged)
  }

  /** Calls `store` with how the bytes are put into the workspaces, `forAdmins` into both. */
  async withTwins<Result>(
    staged: StagedUpload,
    forAdmins: boolean,
    store: (place: PathInWorkspace) => Promise<Result>,
  ): Promise<Result> {
    const twin = forAdmins ? await copyStaged(this.#home, staged) : null
    try {
      return await store((place) => placeUpload({ home: this.#home, ...place }, { forUsers: staged, forAdmins: twin }))
    } finally {
      if (twin !== null) await discardStaged(twin)
    }
  }

  /** Measures a workspace that never was: from then on uploads and commands count it on. */
  async measureNew(sessionId: string): Promise<void> {
    const usage = await readWorkspaceUsage(this.#database, sessionId)
    if (usage === null || usage.ownBytes > 0) return
    const workspace = workspacePath(this.#home, sessionId)
    if (lstatSync(workspace, { throwIfNoEntry: false }) === undefined) return
    await recordWorkspaceBytes(this.#database, { sessionId, bytes: (await measureUsage(workspace)).bytes })
  }

  /** Removes files of a session by their names, and outputs of tasks; those that are gone are left out. */
  remove(sessionId: string, files: { readonly uploads: readonly string[]; readonly taskIds: readonly string[] }): void {
    const { uploads, taskIds } = files
    const place = { home: this.#home, sessionId }
    removeFromWorkspaces(place, UPLOADS_FOLDER, uploads)
    removeFromWorkspaces(place, OUTPUTS_FOLDER, outputNamesOf(taskIds))
  }
}
