/**
 * Recomputes the chain over the audit and says what does not fit: an entry that was changed, removed or added, a seal
 * that was removed or changed, a beginning that is missing though the retention job did not remove it. Reads seals and
 * entries side by side, some at a time. `read` must see one state of the database (REPEATABLE READ).
 *
 * What it cannot see: that the newest seals were removed together with their entries. To detect that, an operator keeps
 * the number and hash of the newest seal (`head`) elsewhere.
 */
import type { Statement } from '../store/database.ts'
import { GENESIS_HASH, sealHash, type SealableEntry } from './seal-hash.ts'
import { BEGINNING, SEAL_COLUMNS, SEALED_BETWEEN, type EntryPlace, type Seal } from './seal-rows.ts'

export type ReadRows = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

export interface AuditReport {
  /** What does not fit; null when everything does. The first such thing: what follows it proves nothing. */
  readonly problem: string | null
  readonly seals: number
  readonly entries: number
  /** Entries after the newest seal that are older than a minute. A server that runs seals within a second or two. */
  readonly lateEntries: number
  /** All seals were checked; false: there was a problem, or there are more than were to be read. */
  readonly isComplete: boolean
  /** The newest seal that was checked. */
  readonly head: Seal | null
  /** The seal up to which the retention job has removed everything, when the chain is followed from there. */
  readonly beginning: Seal | null
}

/** How many seals are checked together: few enough that their entries fit in memory. */
const SEALS_AT_A_TIME = 50

export interface AuditScope {
  /** UTC, such as "2026-11-21": only the seals of that day. Null: all. */
  readonly day: string | null
  /** No further seals are read behind so many entries; Infinity: all. */
  readonly maxEntries: number
}

export async function verifyAudit(read: ReadRows, { day, maxEntries }: AuditScope): Promise<AuditReport> {
  const begin = await beginningOf(read, day)
  const walked = { problem: begin.problem, seals: 0, entries: 0, head: begin.seal, isComplete: false }
  while (walked.problem === null && walked.entries < maxEntries) {
    const seals = await read<Seal>(SEALS, [walked.head?.n ?? 0, day, SEALS_AT_A_TIME])
    walked.isComplete = seals.length === 0
    if (walked.isComplete) break
    const entries = await entriesOf(read, walked.head, seals)
    for (const seal of seals) {
      walked.problem = checkSeal(walked.head, seal, entries)
      if (walked.problem !== null) break
      walked.head = seal
      walked.seals += 1
      walked.entries += seal.entries
    }
  }
  if (day !== null && walked.isComplete) walked.problem = await gapAfter(read, walked.head)
  const head = walked.seals === 0 ? null : walked.head
  return { ...walked, head, beginning: begin.removed, lateEntries: await countLate(read) }
}

/** Up to the last of the day: a clock that was put back leaves some of another day among them. */
const SEALS: Statement = {
  name: 'verify.seals',
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s
    WHERE s.n > $1 AND ($2::date IS NULL OR s.n <= (SELECT max(n) FROM audit_seals WHERE day = $2::date)) ORDER BY s.n LIMIT $3`,
}

const NEXT_SEAL: Statement = {
  name: 'verify.next-seal',
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s WHERE s.n > $1 ORDER BY s.n LIMIT 1`,
}

/** The last seals of a day, or all of them, may be gone: the next that there is shows it. */
async function gapAfter(read: ReadRows, last: Seal | null): Promise<string | null> {
  if (last === null) return null
  const [next] = await read<Seal>(NEXT_SEAL, [last.n])
  return next === undefined || next.n === last.n + 1 ? null : missing(last.n + 1, next)
}

function missing(n: number, found: Seal): string {
  return `Seal ${n} is missing: after seal ${n - 1} comes seal ${found.n} of ${found.day}.`
}

interface Beginning {
  /** The seal from which the chain is followed; null: from before the first. */
  readonly seal: Seal | null
  readonly problem: string | null
  /** Set when it is that of the retention job. */
  readonly removed: Seal | null
}

const FIRST_SEAL: Statement = {
  name: 'verify.first-seal',
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s ORDER BY s.n LIMIT 1`,
}

/** The retention job keeps the last seal of what it removes, and an entry that names it with its hash. */
const REMOVED_UP_TO: Statement = {
  name: 'verify.removed-up-to',
  text: `SELECT (SELECT count(*)::int FROM audit_entries o WHERE (o.txid, o.pos) <= ($2::bigint, $3::bigint)) AS older
    FROM audit_entries e WHERE e.kind = 'CONFIG' AND e.data->>'change' = 'AUDIT_REMOVED'
      AND e.data->>'detail' LIKE '%seal ' || $1::text || ' (' || $4::text || ')%' LIMIT 1`,
}

async function beginningOf(read: ReadRows, day: string | null): Promise<Beginning> {
  const before = day === null ? null : await sealBefore(read, day)
  if (before !== null) return { seal: before, problem: null, removed: null }
  const [first] = await read<Seal>(FIRST_SEAL, [])
  if (first === undefined) return { seal: null, problem: null, removed: null }
  const { n, txid, pos, hash } = first
  const [removed] = await read<{ older: number }>(REMOVED_UP_TO, [String(n), txid, pos, hash.toString('hex')])
  if (removed !== undefined) {
    const added = `${removed.older} entries were added before seal ${n} of ${first.day}, with which the audit begins.`
    return { seal: first, problem: removed.older === 0 ? null : added, removed: first }
  }
  const gone = `Everything up to seal ${n} of ${first.day} is missing, and the retention job did not remove it.`
  return { seal: null, problem: n === 1 ? null : gone, removed: null }
}

/** A day without a seal has its place before the first of a later one. */
const SEAL_BEFORE_DAY: Statement = {
  name: 'verify.seal-before-day',
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s
    WHERE s.n < coalesce((SELECT min(n) FROM audit_seals WHERE day = $1::date), (SELECT min(n) FROM audit_seals WHERE day > $1::date),
      (SELECT max(n) + 1 FROM audit_seals))
    ORDER BY s.n DESC LIMIT 1`,
}

async function sealBefore(read: ReadRows, day: string): Promise<Seal | null> {
  const [seal = null] = await read<Seal>(SEAL_BEFORE_DAY, [day])
  return seal
}

/** One more than the seals cover is enough to see that some were added. */
async function entriesOf(read: ReadRows, after: Seal | null, seals: readonly Seal[]): Promise<SealableEntry[]> {
  const from = after ?? BEGINNING
  const to = seals.at(-1) ?? from
  const covered = seals.reduce((sum, seal) => sum + seal.entries, 0)
  return read<SealableEntry>(SEALED_BETWEEN, [from.txid, from.pos, to.txid, to.pos, covered + 1])
}

/** Takes the seal's entries off `entries`. */
function checkSeal(last: Seal | null, seal: Seal, entries: SealableEntry[]): string | null {
  const n = (last?.n ?? 0) + 1
  if (seal.n !== n) return missing(n, seal)
  const beyond = entries.findIndex((entry) => isAfter(entry, seal))
  const own = entries.splice(0, beyond === -1 ? entries.length : beyond)
  const what = `Seal ${n} of ${seal.day} (made at ${seal.sealedAt}) covered ${seal.entries} entries`
  if (own.length < seal.entries) return `${what}; ${seal.entries - own.length} of them were removed.`
  if (own.length > seal.entries) return `${what}; others were added among them.`
  if (sealHash(last?.hash ?? GENESIS_HASH, seal, own).equals(seal.hash)) return null
  return `${what}; one of them was changed or replaced, or the seal itself was. They are ${own[0]?.id} to ${own.at(-1)?.id}.`
}

function isAfter(entry: EntryPlace, seal: EntryPlace): boolean {
  const [entryTxid, sealTxid] = [BigInt(entry.txid), BigInt(seal.txid)]
  return entryTxid === sealTxid ? BigInt(entry.pos) > BigInt(seal.pos) : entryTxid > sealTxid
}

const COUNT_LATE: Statement = {
  name: 'verify.late',
  text: `SELECT count(*)::int AS entries FROM audit_entries e
    LEFT JOIN (SELECT txid, pos FROM audit_seals ORDER BY n DESC LIMIT 1) s ON true
    WHERE (e.txid, e.pos) > (coalesce(s.txid, 0), coalesce(s.pos, 0)) AND e.at < now() - interval '1 minute'`,
}

async function countLate(read: ReadRows): Promise<number> {
  const [late] = await read<{ entries: number }>(COUNT_LATE, [])
  return late?.entries ?? 0
}
