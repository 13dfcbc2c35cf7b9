/**
 * `forkSession`: a new session that begins with what was said in another, up to one of its events. It is exported and
 * imported under another id in one transaction, less what fork-plan.ts leaves out. Called by the GraphQL door.
 */
import { mayOpenSession, openerName, ownNamespace } from '../config/access/session-access.ts'
import { openerQuota } from '../config/schema/quotas.ts'
import { hasCode } from '../platform/error-code.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../core/refusal.ts'
import { authorizeSession, noSuchSession } from '../intake/authorize-session.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { announceSessionUpdate } from '../intake/session/session-change.ts'
import { newSessionId, sourceOf } from '../intake/session/session-source.ts'
import { tooManySessions } from '../intake/session/too-many-sessions.ts'
import { AppError } from '../core/errors.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable, type Statement } from '../store/database.ts'
import { reaches, type SessionAccess } from '../store/intake/intake-access.ts'
import { exportSession } from './export-session.ts'
import { FORKED_ROWS, forkLines } from './fork-lines.ts'
import { planFork, type ForkOutcome } from './fork-plan.ts'
import { importSession } from './import-session.ts'

/** What a client asks for, unchecked; a field that is null counts as left out. */
export interface ForkSessionInput {
  readonly sessionId: string
  /** The last event of which the copy tells; all when left out. */
  readonly upTo?: number | null | undefined
  /** Generated when left out. */
  readonly newSessionId?: string | null | undefined
}

/** The copy is there. */
export interface SessionForked {
  readonly kind: 'Forked'
  readonly sessionId: string
  /** False: an earlier call made it. */
  readonly created: boolean
}

/**
 * With `newSessionId`, a second call answers with the session that the first one made. Who sees a session may copy what
 * they see; the copy is theirs alone.
 */
export async function forkSession(
  context: IntakeContext,
  viewer: Viewer,
  input: ForkSessionInput,
): Promise<SessionForked | Refusal> {
  const { sessionId } = input
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ['SEND'])
  if ('kind' in access) return access
  const id = input.newSessionId ?? newSessionId(ownNamespace(viewer), undefined, context.clock.now())
  const own = authorizeSession(viewer, { sessionId: id, path: ['newSessionId'] }, ['SEND'])
  if ('kind' in own) return own
  if (!mayOpenSession(context.config.current(), viewer, id)) {
    const rule = `must be an id of your own name space, such as "${ownNamespace(viewer)}:copy"`
    return invalidInput(['newSessionId'], rule)
  }
  if (!(await reaches(context.database, access, sessionId))) return notFound('session', sessionId)
  const known = await findKnown(context, viewer, { ...input, id, access })
  return known ?? (await fork(context, viewer, { ...input, id, access }))
}

interface Named extends ForkSessionInput {
  /** The copy's. */
  readonly id: string
  readonly access: SessionAccess
}

/** Null: there is no session of that id yet. */
async function findKnown(
  { database }: Pick<IntakeContext, 'database'>,
  viewer: Viewer,
  { id, access, sessionId, upTo }: Named,
): Promise<SessionForked | Refusal | null> {
  const [found] = await database.query<{ forkedFrom: string | null; forkedSeq: number | null }>(FIND, [id])
  if (found === undefined) return null
  if (!(await reaches(database, access, id))) return noSuchSession(viewer, id)
  const isSame = found.forkedFrom === sessionId && (upTo == null || upTo === found.forkedSeq)
  if (isSame) return { kind: 'Forked', sessionId: id, created: false }
  return conflict('NAME_TAKEN', `There is a session "${id}" already. Choose another id for the copy.`, id)
}

async function fork(context: IntakeContext, viewer: Viewer, named: Named): Promise<SessionForked | Refusal> {
  const { id, sessionId, upTo } = named
  const opener = openerName(viewer)
  const { sessions: maxSessions } = openerQuota(context.config.current(), opener)
  const at = context.clock.now()
  const copy = { ...named, viewer, opener, maxSessions, at }
  try {
    const outcome = await context.database.transaction((client) => store(client, copy))
    if (outcome.kind === 'NoQuota') return await tooManySessions(context, { opener, maxSessions })
    if (outcome.kind !== 'Forked') return refusalOf(outcome, { sessionId, upTo: upTo ?? null })
    announceSessionUpdate(context, { sessionId: id, seq: outcome.lastSeq, at })
    return { kind: 'Forked', sessionId: id, created: true }
  } catch (error) {
    // Another call was the first to make it.
    const isTaken = error instanceof AppError && hasCode(error.cause, '23505')
    const known = isTaken ? await findKnown(context, viewer, named) : null
    if (known === null) throw error
    return known
  }
}

interface Copy extends Named {
  readonly viewer: Viewer
  readonly opener: string
  readonly maxSessions: number | null
  readonly at: Date
}

type Stored =
  | Exclude<ForkOutcome, { readonly kind: 'Plan' }>
  | { readonly kind: 'NoQuota' }
  | { readonly kind: 'Forked'; readonly lastSeq: number }

async function store(client: Queryable, copy: Copy): Promise<Stored> {
  const { id, sessionId, viewer, opener, maxSessions, at, access } = copy
  const [quota] = maxSessions === null ? [] : await client.query<{ allows: boolean }>(QUOTA, [opener, id, maxSessions])
  if (quota?.allows === false) return { kind: 'NoQuota' }
  const plan = await planFork(client, sessionId, copy.upTo ?? null)
  if (plan.kind !== 'Plan') return plan
  const target = { source: sourceOf(id), connector: viewer.tokenName, participant: viewer.user?.name ?? null, at }
  const lines = forkLines(exportSession({ client, sessionId, at, only: FORKED_ROWS }), plan, target)
  const detail = `from "${sessionId}", up to event ${plan.upTo}`
  const report = await importSession({
    client,
    lines,
    as: id,
    at,
    by: access,
    otherId: '',
    fork: { openedBy: opener, detail },
  })
  await client.query(MARK, [id, sessionId, plan.upTo])
  return { kind: 'Forked', lastSeq: report.lastSeq }
}

function refusalOf(
  outcome: Exclude<ForkOutcome, { readonly kind: 'Plan' }>,
  { sessionId, upTo }: { readonly sessionId: string; readonly upTo: number | null },
): Refusal {
  switch (outcome.kind) {
    case 'NoSession':
      return notFound('session', sessionId)
    case 'NoSuchEvent':
      return invalidInput(['upTo'], `must be from 0 to ${outcome.lastSeq}, the newest event of the session`)
    case 'Busy': {
      const what = upTo === null ? 'runs' : `of a message up to event ${upTo} runs`
      return conflict(
        'BUSY',
        `A turn ${what}. Wait for its end, cancel it, or fork up to an earlier event.`,
        outcome.turnId,
      )
    }
    case 'WithinTurn': {
      const { seq, lastSaid } = outcome
      return invalidInput(
        ['upTo'],
        `lies between two texts of one turn: give ${lastSaid} to have it whole, or ${seq - 1} to leave it out with its message`,
      )
    }
    default:
      return outcome satisfies never
  }
}

const FIND: Statement = {
  name: 'fork.find',
  text: 'SELECT forked_from AS "forkedFrom", forked_seq AS "forkedSeq" FROM sessions WHERE id = $1',
}
const QUOTA: Statement = {
  name: 'fork.quota',
  text: 'SELECT may_open_session($1, $2, $3) AS allows',
  timeoutMs: STATEMENT_TIMEOUT_MS,
}
/** Who wrote the instructions stays known: those that no admin wrote direct no turn of one. */
const MARK: Statement = {
  name: 'fork.mark',
  text: `UPDATE sessions s SET forked_from = o.id, forked_seq = $3, instructions_by = o.instructions_by
    FROM sessions o WHERE s.id = $1 AND o.id = $2`,
}
