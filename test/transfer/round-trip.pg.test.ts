/**
 * What is exported comes back the same, whatever it says; what is wrong is told by its line, and nothing of it is
 * stored.
 */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { rounds } from '../harness/rounds.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { EVENT_DATA } from '../../src/transfer/event-data.ts'
import { OF_EVENTS } from '../../src/transfer/foreign-rows.ts'
import { exportSession } from '../../src/transfer/export-session.ts'
import { onConnection } from '../../src/transfer/transfer-transaction.ts'
import { importSession, type ImportReport } from '../../src/transfer/import-session.ts'
import { NOT_EXPORTED, ROW_KINDS, ROW_NAMES } from '../../src/transfer/row-kinds.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { exportedSession } from './exported-session.ts'

type Line = Readonly<Record<string, unknown>>

const AT = new Date('2026-11-21T12:00:00.000Z')

let server: TestDatabase
let client: pg.Client
beforeAll(async () => {
  server = await createTestDatabase()
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`SET TIME ZONE 'UTC'`)
})
afterAll(async () => {
  await client.end()
  await server.drop()
})

async function exported(sessionId: string): Promise<Line[]> {
  const lines = await Array.fromAsync(exportSession({ client: onConnection(client), sessionId, at: AT }))
  return lines.map((line) => JSON.parse(line) as Line)
}

async function imported(lines: readonly (Line | string)[], as: string | null = null): Promise<ImportReport> {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await client.query('BEGIN')
  try {
    const report = await importSession({
      client: onConnection(client),
      lines: Readable.from(texts),
      as,
      at: AT,
      by: null,
      otherId: '--as <id>',
    })
    await client.query('COMMIT')
    return report
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

const forget = (id: string) => client.query('DELETE FROM sessions WHERE id = $1', [id])
const idOf = (lines: readonly Line[]): string => String(lines[0]?.['sessionId'])

/** Comparable: times as numbers, rows of a kind in one order. */
function normal(lines: readonly Line[]): unknown[] {
  const times = JSON.stringify(lines).replaceAll(/"(20\d\d-\d\d-\d\dT[\d:.]+(?:Z|\+00:00))"/g, (_all, time: string) =>
    String(Date.parse(time)),
  )
  const texts = (JSON.parse(times) as Line[]).map((line) => JSON.stringify(line, Object.keys(flat(line)).toSorted()))
  return texts.toSorted().map((line) => JSON.parse(line) as Line)
}

/** All keys that there are, at any depth. */
function flat(value: unknown): Record<string, true> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.assign({}, ...Object.entries(value).map(([key, part]) => ({ [key]: true, ...flat(part) }))) as Record<
    string,
    true
  >
}

/** Ids by the order in which they appear, as those of a copy are others. */
function withoutIds(lines: readonly Line[]): unknown {
  const seen = new Map<string, string>()
  const text = JSON.stringify(lines).replaceAll(/"(?:msg|turn|plan|task|learn|q|dlv|appr|dlg)_[0-9a-z]{26}"/g, (id) => {
    if (!seen.has(id)) seen.set(id, `"id ${seen.size}"`)
    return must(seen.get(id), 'a name for it')
  })
  return JSON.parse(text)
}

test('an exported session, imported and exported again, is the same; a copy is the same but for its ids', async () => {
  await fc.assert(
    fc.asyncProperty(exportedSession, async (lines) => {
      const id = idOf(lines)
      await imported(lines)
      const first = await exported(id)
      expect(normal(first)).toEqual(normal(lines))
      await imported(first, 'web:copy')
      const copy = await exported('web:copy')
      const body = (all: readonly Line[]): readonly Line[] => all.slice(1)
      expect(withoutIds(body(copy))).toEqual(withoutIds(body(first)))
      const ids = (all: readonly Line[]) => all.flatMap((line) => (line['id'] === undefined ? [] : [line['id']]))
      expect(ids(copy).filter((one) => ids(first).includes(one))).toEqual([])
      await forget(id)
      await forget('web:copy')
    }),
    { numRuns: rounds(8, 25) },
  )
})

test('a turn that was open ends, however long ago it began', async () => {
  const [found] = fc.sample(
    exportedSession.filter((all) => all.some(({ type }) => type === 'turn')),
    { seed: 7, numRuns: 1 },
  )
  const lines = must(found, 'a session')
  const open = { status: 'RUNNING', startedAt: '2026-01-01T00:00:00.000Z', finishedAt: null }
  const { cancelledTurns } = await imported(
    lines.map((line) => (line['type'] === 'turn' ? { ...line, ...open } : line)),
  )
  const ends = (await exported(idOf(lines))).filter(({ event }) => event === 'TurnCompleted').slice(-cancelledTurns)
  const durationMs = AT.getTime() - Date.parse(open.startedAt)
  expect(ends.map(({ data }) => data)).toEqual(ends.map(() => expect.objectContaining({ durationMs }) as unknown))
  await forget(idOf(lines))
})

test('a learning whose question stayed behind waits for a person', async () => {
  const [lines] = fc.sample(
    exportedSession.filter((all) => all.some(({ type }) => type === 'learning')),
    { seed: 7, numRuns: 1 },
  )
  const asked = { status: 'ASKED', questionId: null, held: false, decidedBy: 'curator', reason: 'It is not clear.' }
  await imported(must(lines, 'a session').map((line) => (line['type'] === 'learning' ? { ...line, ...asked } : line)))
  const { rows } = await client.query('SELECT DISTINCT status, held, decided_by, reason FROM learnings')
  expect(rows).toEqual([{ status: 'PENDING', held: true, decided_by: null, reason: null }])
  await forget(idOf(must(lines, 'a session')))
})

describe('a file that names what belongs to another session', () => {
  const sample = (seed: number): readonly Line[] => {
    const [lines] = fc.sample(
      exportedSession.filter((all) => all.some(({ type }) => type === 'task')),
      { seed, numRuns: 1 },
    )
    return must(lines, 'a session')
  }
  const [others, lines] = [sample(7), sample(8)]
  const idIn = (type: string): unknown => must(others.find((line) => line['type'] === type)?.['id'], type)
  const changed = (change: (line: Line) => Line | null): Line[] => lines.map((line) => change(line) ?? line)
  beforeAll(async () => void (await imported(others)))
  afterAll(() => forget(idOf(others)))

  test.each([
    ['turn', (line: Line) => (line['type'] === 'turn' ? { ...line, joinedIntoId: idIn('turn') } : null)],
    ['task', (line: Line) => (line['type'] === 'task' ? { ...line, turnId: idIn('turn') } : null)],
    ['approval', (line: Line) => (line['type'] === 'approval' ? { ...line, turnId: idIn('turn') } : null)],
    ['event', (line: Line) => (line['type'] === 'event' ? { ...line, turnId: idIn('turn') } : null)],
    [
      'event',
      (line: Line) =>
        line['event'] === 'Review' ? { ...line, data: { ...(line['data'] as Line), taskId: idIn('task') } } : null,
    ],
  ])('is refused: a %s', async (kind, change) => {
    await expect(imported(changed(change))).rejects.toThrow(
      new RegExp(`^A ${kind} of the file refers to \\w+, which belongs to another session of this server`),
    )
    await imported(lines)
    await forget(idOf(lines))
  })

  test.each([null, 'cli:copy'])('so is an event of what is nowhere, imported as %s', async (as) => {
    const gone = newId('task')
    const file = changed((line) =>
      line['event'] === 'Review' ? { ...line, data: { ...(line['data'] as Line), taskId: gone } } : null,
    )
    await expect(imported(file, as)).rejects.toThrow(/^A event of the file refers to \w+, which is not in the file/)
  })

  test('each id in an event that is one of a row is checked', () => {
    const shapes = Object.values(EVENT_DATA).flatMap((data) => Object.keys((data as z.ZodObject).shape))
    const named = new Set(shapes.filter((key) => key.endsWith('Id') && key !== 'thinkingId'))
    expect([...named].toSorted()).toEqual([...OF_EVENTS].toSorted())
  })
})

test.each([
  ['https://hooks.example/hook?key=hush', 'https://hooks.example/…'],
  ['https://hooks.example:8443', 'https://hooks.example:8443/…'],
  ['http://[2001:db8::1]:8080/hush', 'http://[2001:db8::1]:8080/…'],
  ['HTTPS://hooks.example/hush', 'HTTPS://hooks.example/…'],
  ['https:/hooks.example/hush', '…'],
  [' https://hooks.example/hush', '…'],
  [String.raw`https://hooks.example\hush`, 'https://hooks.example/…'],
])('of where a text was posted, the host alone is exported: %s', async (url, shown) => {
  const [lines] = fc.sample(
    exportedSession.filter((all) => all.some(({ type }) => type === 'delivery')),
    { seed: 7, numRuns: 1 },
  )
  const id = idOf(must(lines, 'a session'))
  await imported(must(lines, 'a session'))
  await client.query('UPDATE deliveries SET url = $1 WHERE session_id = $2', [url, id])
  const deliveries = (await exported(id)).filter(({ type }) => type === 'delivery')
  await forget(id)
  expect(new Set(deliveries.map((line) => line['url']))).toEqual(new Set([shown]))
})

test('every column of its tables is exported, or known not to be', async () => {
  for (const name of ROW_NAMES) {
    const { table, fields } = ROW_KINDS[name]
    const { rows } = await client.query<{ column: string }>(
      `SELECT column_name AS column FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
      [table],
    )
    const exportedColumns = Object.values(fields).map(({ column }) => column.replaceAll('"', ''))
    const known = [...exportedColumns, ...(NOT_EXPORTED[name] ?? []), ...(name === 'session' ? [] : ['session_id'])]
    expect([name, known.toSorted()]).toEqual([name, rows.map(({ column }) => column).toSorted()])
  }
})

describe('a line that is wrong', () => {
  const [lines] = fc.sample(
    exportedSession.filter((all) => all.filter(({ type }) => type === 'task').length > 1),
    { seed: 7, numRuns: 1 },
  )
  const good = must(lines, 'a session')
  const at = (type: string): number => good.findIndex((line) => line['type'] === type)
  const changed = (type: string, more: Line): (Line | string)[] => good.with(at(type), { ...good[at(type)], ...more })

  test.each<[what: string, file: () => (Line | string)[], message: RegExp]>([
    ['nothing', () => [], /^Line 1: it is no JSON/],
    ['no JSON', () => [...good.slice(0, 3), '{"type": ', ...good.slice(4)], /^Line 4: it is no JSON: /],
    ['no header', () => good.slice(1), /^Line 1: type: Invalid input: expected "header"/],
    [
      'a version to come',
      () => changed('header', { version: 2 }),
      /^Line 1: version 2 of the format comes from a newer Factotum/,
    ],
    [
      'a type that is none',
      () => changed('message', { type: 'mesage' }),
      /^Line \d+: "type" must be one of session, participant, .*; it is "mesage"/,
    ],
    ['a field too many', () => changed('message', { color: 'red' }), /^Line \d+: Unrecognized key: "color"/],
    [
      'a text with NUL',
      () => changed('message', { content: 'a\0' }),
      /^Line \d+: content: must be without NUL and broken Unicode/,
    ],
    [
      'a text with NUL in what clients keep with it',
      () => changed('session', { metadata: { deep: [{ text: 'a\0' }] } }),
      /^Line 2: metadata: must be an object of at most 256 levels, with texts that are without NUL and broken Unicode/,
    ],
    [
      'what is nested too deeply',
      () => changed('session', { metadata: { deep: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) as unknown } }),
      /^Line 2: metadata: must be an object of at most 256 levels/,
    ],
    [
      'a time zone that is none',
      () => changed('session', { timeZone: 'Europe/Roma' }),
      /^Line 2: timeZone: must be the name of a time zone such as "Europe\/Berlin" or "UTC"; "Europe\/Roma" is none/,
    ],
    [
      'a status that is none',
      () => changed('turn', { status: 'OVER' }),
      /^Line \d+: status: Invalid option: expected one of "QUEUED"/,
    ],
    [
      'an event without its data',
      () => changed('event', { data: {} }),
      /^Line \d+: data\.messageId: Invalid input: expected string/,
    ],
    [
      'a seq beyond the log',
      () => changed('message', { seq: 4711 }),
      /^Line \d+: seq: must be at most \d+, the lastSeq of the session; it is 4711/,
    ],
    [
      'a log that could not go on',
      () => changed('session', { lastSeq: 2_147_483_647 }),
      /^Line 2: lastSeq: must be at most 2000000000: no session has come so far/,
    ],
    [
      'turns that could not be counted on',
      () => changed('session', { turnCount: 2_147_483_647 }),
      /^Line 2: turnCount: must be at most 2000000000/,
    ],
    [
      'an order that is none',
      () => [...good.slice(0, -1), must(good[at('message')], 'a message'), { type: 'end', lines: good.length }],
      /^Line \d+: "message" cannot come after "event"/,
    ],
    [
      'a task without its plan',
      () =>
        good
          .filter(({ type }) => type !== 'plan')
          .map((line) =>
            line['type'] === 'end'
              ? { type: 'end', lines: Number(line['lines']) - good.filter(({ type }) => type === 'plan').length }
              : line,
          ),
      /^Lines? \d+.*: a task refers to what is not in the file before it/,
    ],
    [
      'a message twice',
      () => [
        ...good.slice(0, at('message')),
        good[at('message')] ?? {},
        ...good.slice(at('message'), -1),
        { type: 'end', lines: good.length },
      ],
      /^Lines? \d+.*: a message with this id or seq is here already, or twice/,
    ],
    ['the end missing', () => good.slice(0, -1), /^The file ends after line \d+ without its end line: it was cut off/],
    [
      'a line missing',
      () => good.toSpliced(at('event'), 1),
      /^Line \d+: \d+ lines should come before it, not \d+: some are missing/,
    ],
    ['lines behind the end', () => [...good, '{}'], /^Line \d+: the end line must be the last one/],
  ])('%s: says so, and nothing is stored', async (_what, file, message) => {
    await expect(imported(file())).rejects.toMatchObject({
      code: 'TRANSFER_REFUSED',
      message: expect.stringMatching(message),
    })
    expect((await client.query('SELECT 1 FROM sessions')).rows).toEqual([])
  })

  test('a session that is here already is refused, and stays', async () => {
    await imported(good)
    const id = idOf(good)
    await expect(imported(good)).rejects.toMatchObject({
      message: `There is a session "${id}" here already. Import it under another id with --as <id>.`,
    })
    expect(normal(await exported(id))).toEqual(normal(good))
    await forget(id)
    await expect(exported(id)).rejects.toMatchObject({ message: `There is no session "${id}" in this database.` })
  })
})
