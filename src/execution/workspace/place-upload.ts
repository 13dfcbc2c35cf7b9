/**
 * An upload enters the workspaces of its session: `uploads/` of that of role USER, and of that of admins when an admin
 * has sent it. What a USER has sent never enters the latter (docs/decisions/0025-workspaces.md).
 *
 * What must hold: it is there whole or not at all, at once; and nothing outside of `uploads/` is touched, whatever a
 * command has left in its place or puts there meanwhile: links, folders that are exchanged.
 */
import { chmodSync, chownSync, fchownSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import type { Account } from '../../config/home/unprivileged-account.ts'
import { UPLOADS_FOLDER } from '../../core/file/uploaded-file.ts'
import { hasCode } from '../../platform/error-code.ts'
import { findDropAccount } from '../sandbox/drop-account.ts'
import { at, inside, within } from '../../platform/held-folder.ts'
import type { StagedUpload } from './staged-upload.ts'
import { adminWorkspacePath, createWorkspace, workspacePath } from './workspace.ts'

/** Where a file that came over HTTP belongs. */
export interface UploadPlace {
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly sessionId: string
  /** A file name without folders (core/file/uploaded-file.ts). */
  readonly name: string
}

/** `forAdmins`: its twin for the workspace of admins, or null. */
export interface StagedTwins {
  readonly forUsers: StagedUpload
  readonly forAdmins: StagedUpload | null
}

/**
 * Moves them in, replacing files of this name. Null when they are there; otherwise why they cannot be, for people, in
 * words that follow "The file". Synchronous: the caller holds the lock of the session's row.
 */
export function placeUpload(place: UploadPlace, { forUsers, forAdmins }: StagedTwins): string | null {
  const { home, sessionId, name } = place
  const account = findDropAccount()
  const problem = putInto(workspacePath(home, sessionId), { owner: account, name, staged: forUsers })
  if (problem !== null || forAdmins === null) return problem
  return putInto(adminWorkspacePath(home, sessionId), { owner: null, name, staged: forAdmins })
}

/** Removes files from a folder of both workspaces; what is no longer there, or no longer a file, is left out. */
export function removeFromWorkspaces(
  { home, sessionId }: Omit<UploadPlace, 'name'>,
  folderName: string,
  names: readonly string[],
): void {
  for (const workspace of [workspacePath(home, sessionId), adminWorkspacePath(home, sessionId)]) {
    for (const name of names) {
      tolerating(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ERR_FS_EISDIR'], () =>
        inside(workspace, [folderName], (folder) => rmSync(at(folder, name))),
      )
    }
  }
}

interface Put {
  /** Null: the server's own user. */
  readonly owner: Account | null
  readonly name: string
  readonly staged: StagedUpload
}

function putInto(workspace: string, { owner, name, staged }: Put): string | null {
  if (owner !== null) chownSync(staged.path, owner.uid, owner.gid)
  chmodSync(staged.path, 0o600)
  createWorkspace(workspace, owner)
  try {
    inside(workspace, [], (root) => {
      const isNew = tolerating(['EEXIST'], () => mkdirSync(at(root, UPLOADS_FOLDER), { mode: 0o700 }))
      within(root, UPLOADS_FOLDER, (folder) => {
        if (isNew && owner !== null) fchownSync(folder.fd, owner.uid, owner.gid)
        renameSync(staged.path, at(folder, name))
      })
    })
    return null
  } catch (error) {
    if (hasCode(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) return `cannot replace a folder of its name`
    if (hasCode(error, 'ENOTDIR', 'ELOOP')) return `cannot be stored: "${UPLOADS_FOLDER}" of the workspace is no folder`
    if (hasCode(error, 'EACCES')) return `cannot be stored: "${UPLOADS_FOLDER}" of the workspace is closed`
    throw error
  }
}

/** False: it failed in one of these ways. */
function tolerating(codes: readonly string[], act: () => unknown): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (hasCode(error, ...codes)) return false
    throw error
  }
}
