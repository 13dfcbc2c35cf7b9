/**
 * Writes to the audit which callers asked for what they may not have: with a token that is unknown (or was removed,
 * then by name), a field that is not for them, a thing that they may not see. Whether such a thing exists is read after
 * the answer, so that the time of the answer does not show it.
 *
 * What must hold: no caller can fill the audit or the memory by asking. The same denial is one entry at once, and one
 * with the count of the others when its minute is over; of more than a thousand kinds in a minute the rest is counted
 * as one.
 */
import { seesAllSessions } from '../config/access/session-access.ts'
import type { LiveConfig } from '../config/config.ts'
import { hashToken } from '../config/access/token-hash.ts'
import type { DenialReason, NewAuditEntry } from '../core/audit-entry.ts'
import type { Viewer } from '../core/identity.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'
import { isStorable } from '../platform/well-formed.ts'

export interface AccessDenialsOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
}

interface Denial {
  readonly reason: DenialReason
  readonly field: string
  readonly tokenName: string | null
  readonly actor: string | null
  /** NOT_VISIBLE: what was asked for. */
  readonly subjectId: string | null
}

/** The same denial, within a minute. */
interface Window {
  readonly denial: Denial
  readonly since: Date
  count: number
  /** How many of them the audit tells of; null: it is no denial, as there is no such thing. */
  recorded: number | null
  sessionId: string | null
}

const WRITE_AFTER_MS = 1000
const WINDOW_MS = 60_000
const MAX_WINDOWS = 1000
/** Nothing has a longer id; a thousand long ones would fill the memory. */
const MAX_ID_LENGTH = 512
/** Removed tokens that are still known by name. */
const MAX_FORMER = 1000

export class AccessDenials {
  readonly #options: AccessDenialsOptions
  readonly #windows = new Map<string, Window>()
  /** Hash → name. */
  readonly #former = new Map<string, string>()
  #stopListening: () => void = () => undefined
  #cancelWrite: (() => void) | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(options: AccessDenialsOptions) {
    this.#options = options
  }

  start(): void {
    const { config } = this.#options
    let before = config.current()
    this.#stopListening = config.onChange((now) => {
      for (const [name, { sha256 }] of before.tokens) this.#former.set(sha256.toString('hex'), name)
      for (const { sha256 } of now.tokens.values()) this.#former.delete(sha256.toString('hex'))
      for (const hash of [...this.#former.keys()].slice(0, -MAX_FORMER)) this.#former.delete(hash)
      before = now
    })
  }

  /** Writes what is not written yet. */
  async stop(): Promise<void> {
    this.#stopListening()
    this.#cancelWrite?.()
    await this.#writing
    await this.#write({ all: true })
  }

  /** Also what a link holds that logs in, at "POST /login". */
  unknownToken(token: string, field = 'Authorization'): void {
    const tokenName = this.#former.get(hashToken(token).toString('hex')) ?? null
    this.#note({ reason: 'UNKNOWN_TOKEN', field, tokenName, actor: null, subjectId: null })
  }

  /** `field`: such as "Query.audit"; `id`: what it was refused for, which the viewer sees. */
  forbidden(viewer: Viewer, field: string, id: string | null = null): void {
    this.#note({ reason: 'FORBIDDEN', field, ...whoIs(viewer), subjectId: id })
  }

  /** `id` was asked for, and nothing was found that the viewer may see. */
  absent(viewer: Viewer, field: string, id: string): void {
    if (id.length > MAX_ID_LENGTH || (seesAllSessions(viewer) && viewer.namespace === null)) return
    this.#note({ reason: 'NOT_VISIBLE', field, ...whoIs(viewer), subjectId: id })
  }

  #note(denial: Denial): void {
    const key = JSON.stringify(denial)
    const full = !this.#windows.has(key) && this.#windows.size >= MAX_WINDOWS
    const noted = full ? { ...denial, field: 'others', tokenName: null, actor: null, subjectId: null } : denial
    const window = this.#windows.get(full ? noted.reason : key)
    if (window === undefined) {
      const since = this.#options.clock.now()
      this.#windows.set(full ? noted.reason : key, { denial: noted, since, count: 1, recorded: 0, sessionId: null })
    } else {
      window.count += 1
    }
    this.#writeLater()
  }

  #writeLater(): void {
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => {
      this.#cancelWrite = null
      this.#writing = this.#write({ all: false }).finally(() => {
        if (this.#windows.size > 0) this.#writeLater()
      })
    })
  }

  async #write({ all }: { readonly all: boolean }): Promise<void> {
    const { database, clock, logger } = this.#options
    const endedBefore = clock.now().getTime() - WINDOW_MS
    const isOver = ({ since }: Window): boolean => all || since.getTime() <= endedBefore
    // What is denied while these are written comes next time: it has not been looked up.
    const windows = [...this.#windows.values()]
    try {
      await this.#lookUp(windows)
      const due = windows.filter(
        (window) => window.recorded === 0 || (window.recorded !== null && isUnrecorded(window) && isOver(window)),
      )
      const counted = due.map((window) => ({
        window,
        count: window.recorded === 0 && !all ? 1 : window.count - (window.recorded ?? 0),
      }))
      await appendAudit(
        database,
        counted.map(({ window, count }) => entryOf(window, count, clock.now())),
      )
      for (const { window, count } of counted) window.recorded = (window.recorded ?? 0) + count
    } catch (error) {
      logger.warn({ error: reasonOf(error) }, 'denied accesses could not be written to the audit; retrying')
    }
    // What could not be written, or was denied meanwhile, comes next time.
    for (const [key, window] of this.#windows) if (isOver(window) && !isUnrecorded(window)) this.#windows.delete(key)
  }

  /** What does not exist was not denied. */
  async #lookUp(windows: readonly Window[]): Promise<void> {
    const open = windows.filter(({ recorded, denial }) => recorded === 0 && denial.subjectId !== null)
    if (open.length === 0) return
    const sessions = await findSessionsOf(
      this.#options.database,
      open.map(({ denial }) => denial.subjectId ?? ''),
    )
    for (const window of open) {
      const found = sessions.get(window.denial.subjectId ?? '')
      if (found !== undefined) window.sessionId = found
      else if (window.denial.reason === 'NOT_VISIBLE') window.recorded = null
    }
  }
}

/** Some of it is not in the audit, or it is not known yet whether it belongs there. */
function isUnrecorded({ recorded, count }: Window): boolean {
  return recorded !== null && recorded < count
}

function whoIs({ tokenName, user }: Viewer): Pick<Denial, 'tokenName' | 'actor'> {
  return { tokenName, actor: user?.name ?? null }
}

function entryOf({ denial, since, recorded, sessionId }: Window, count: number, now: Date): NewAuditEntry {
  const { reason, field, tokenName, actor } = denial
  const at = recorded === 0 ? since : now
  return { at, sessionId, turnId: null, actor, tokenName, body: { kind: 'ACCESS_DENIED', field, reason, count } }
}

/** What has an id of its own, and stands in a session or in none. */
const TABLES = ['messages', 'turns', 'plans', 'tasks', 'approvals', 'learnings', 'deliveries', 'facts', 'questions']

const FIND = {
  name: 'audit.sessions-of',
  text: `SELECT i.id, x.session_id AS "sessionId" FROM unnest($1::text[]) AS i (id), LATERAL (
      SELECT s.id AS session_id FROM sessions s WHERE s.id = i.id
      ${TABLES.map((table) => `UNION ALL SELECT t.session_id FROM ${table} t WHERE t.id = i.id`).join('\n      ')}
      UNION ALL SELECT NULL FROM schedules t WHERE t.id = i.id) x`,
}

/** Id → session, or null for what is in none; absent: there is no such thing. */
async function findSessionsOf(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const rows = await database.query<{ id: string; sessionId: string | null }>(FIND, [ids.filter(isStorable)])
  return new Map(rows.map(({ id, sessionId }) => [id, sessionId]))
}
