/**
 * A file is put into a session: into `uploads/` of the workspace in which the commands of its sender run, and that of
 * role USER in any case, so that everybody whose turns run there has it. Called by the door, in two steps: what can be
 * refused is refused before any byte is read.
 */
import { mayOpenSession } from '../../config/access/session-access.ts'
import { openerQuota } from '../../config/schema/quotas.ts'
import { resolveSender } from '../../config/access/resolve-sender.ts'
import { contentTypeOf } from '../../core/file/published-file.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../../core/refusal.ts'
import { MAX_UPLOADED_FILES, uploadName, uploadNameProblem } from '../../core/file/uploaded-file.ts'
import type { Role, Viewer } from '../../core/identity.ts'
import { newId } from '../../platform/id.ts'
import { isThere, reaches, type SessionAccess } from '../../store/intake/intake-access.ts'
import { storeUpload, type UploadOutcome } from '../../store/intake/intake-upload.ts'
import { readOpenersBytes } from '../../store/files/workspace-usage.ts'
import { authorizeSession, noSuchSession } from '../authorize-session.ts'
import type { IntakeContext, StagedFile } from '../intake-context.ts'
import { openPlain } from '../session/open-plain.ts'

/** Where a file is to go, unchecked. */
export interface FileTarget {
  readonly sessionId: string
  readonly name: string
  /** Whom it is from, as for `sendMessage`. */
  readonly user: string | null
}

/** A file that may be sent. */
export interface ExpectedFile {
  readonly kind: 'Expected'
  readonly sessionId: string
  readonly name: string
  readonly sender: { readonly name: string; readonly role: Role }
  readonly access: SessionAccess
  /** There is no such session yet, and who sends it may open it. */
  readonly isFirst: boolean
}

/** It is in the session. */
export interface FileReceived {
  readonly kind: 'Received'
  readonly id: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  /** There was one of this name. */
  readonly replaced: boolean
}

/** Whether this caller may send it; nothing is changed. */
export async function expectFile(
  context: Pick<IntakeContext, 'database' | 'config' | 'redactorOf'>,
  viewer: Viewer,
  { sessionId, name: given, user }: FileTarget,
): Promise<ExpectedFile | Refusal> {
  const access = authorizeSession(viewer, { sessionId, path: ['session'] }, ['SEND'])
  if ('kind' in access) return access
  const name = uploadName(given)
  const problem = uploadNameProblem(name)
  if (problem !== null) return invalidInput(['name'], problem)
  if (context.redactorOf(sessionId).redact(name) !== name) return invalidInput(['name'], 'must not hold a secret')
  const config = context.config.current()
  const sender = resolveSender(config, viewer, user)
  if ('kind' in sender) return sender
  const { database } = context
  // Both are asked whatever the other says: how long it takes tells nothing of whether there is one.
  const [isKnown, mayReach] = [await isThere(database, sessionId), await reaches(database, access, sessionId)]
  const isFirst = !isKnown && mayOpenSession(config, viewer, sessionId)
  if (!isFirst && !(isKnown && mayReach)) return noSuchSession(viewer, sessionId)
  if (!sender.trusted)
    return conflict('NOT_ALLOWED', `Files are taken from known users alone, and "${sender.name}" is none.`)
  return { kind: 'Expected', sessionId, name, sender, access, isFirst }
}

type PlacedFile = Pick<ExpectedFile, 'sessionId' | 'name'>

interface ComeFile {
  readonly expected: ExpectedFile
  readonly staged: StagedFile
  /** By whom the session is opened, as by a message; null: it was there before the file came. */
  readonly opener: Viewer | null
}

/**
 * Stores what came for `expected`; the caller discards `staged`. Of two at once with one name the later one is there
 * in the end, whole. Rejects when the database or the disk fails.
 */
export async function receiveFile(context: IntakeContext, come: ComeFile): Promise<FileReceived | Refusal> {
  const { opener, expected, staged } = come
  await context.uploads.measureNew(expected.sessionId)
  // A disk that is full says so before a session is opened.
  return context.uploads.withTwins(staged, expected.sender.role === 'ADMIN', async (place) => {
    const refused = opener === null ? null : await open(context, opener, come)
    return refused ?? (await store(context, come, place))
  })
}

/** Null: the session is there. None is opened for a file that could not be stored in it. */
async function open(
  context: IntakeContext,
  viewer: Viewer,
  { expected: { sessionId, name, access }, staged }: Omit<ComeFile, 'opener'>,
): Promise<Refusal | null> {
  const { workspaceBytes: limit } = openerQuota(context.config.current(), access.opener)
  const current = limit === null ? 0 : await readOpenersBytes(context.database, access.opener)
  if (limit !== null && current + staged.size > limit)
    return refusalOf({ kind: 'NoSpace', of: 'OPENER', limit, current }, { sessionId, name })
  return openPlain(context, viewer, { sessionId, access })
}

async function store(
  context: IntakeContext,
  { expected: { sessionId, name, sender, access }, staged: { size } }: Omit<ComeFile, 'opener'>,
  place: (file: PlacedFile) => string | null,
): Promise<FileReceived | Refusal> {
  const config = context.config.current()
  const contentType = contentTypeOf(name)
  const at = context.clock.now()
  const of = { userName: sender.name, byAdmin: sender.role === 'ADMIN' }
  const outcome = await storeUpload(context.database, {
    access,
    actor: { userName: sender.name, tokenName: access.tokenName },
    upload: { id: newId('uploadedFile'), sessionId, name, size, contentType, ...of, at },
    limits: {
      workspaceBytes: context.uploads.workspaceBytes,
      quotaOf: (opener) => openerQuota(config, opener).workspaceBytes,
    },
    place: () => place({ sessionId, name }),
  })
  if (outcome.kind !== 'Stored') return refusalOf(outcome, { sessionId, name })
  const { id, seq, replaced } = outcome
  context.feed.published([{ type: 'FileReceived', fileId: id, seq, at, sessionId, turnId: null }])
  return { kind: 'Received', id, name, size, contentType, replaced }
}

const MIB = 1024 * 1024

function refusalOf(
  outcome: Exclude<UploadOutcome, { readonly kind: 'Stored' }>,
  { sessionId, name }: PlacedFile,
): Refusal {
  switch (outcome.kind) {
    case 'NoSession':
      return notFound('session', sessionId)
    case 'AdminsFile':
      return conflict(
        'NOT_ALLOWED',
        `An admin has sent "${name}", so only an admin may replace it. Send yours under another name.`,
      )
    case 'TooManyFiles': {
      const message = `The session has ${outcome.current} files already. Replace one, or begin another session.`
      return limitExceeded(message, { limit: MAX_UPLOADED_FILES, current: outcome.current })
    }
    case 'NoSpace': {
      const [limit, current] = [Math.floor(outcome.limit / MIB), Math.ceil(outcome.current / MIB)]
      const whose = outcome.of === 'WORKSPACE' ? 'The workspace of the session has' : 'Your workspaces together have'
      const message = `${whose} ${current} of ${limit} MiB. Have files removed that are not needed, or delete a session.`
      return limitExceeded(message, { limit, current })
    }
    case 'NoPlace':
      return conflict('WRONG_TYPE', `The file ${outcome.problem}.`)
    default:
      return outcome satisfies never
  }
}

function limitExceeded(message: string, { limit, current }: { limit: number; current: number }): Refusal {
  return { kind: 'LimitExceeded', message, limit, current, retryAfterMs: null }
}
