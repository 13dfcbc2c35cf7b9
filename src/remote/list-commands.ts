/** The commands that show a list: as a table for people, as JSON for programs. */
import { styleText } from 'node:util'
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import {
  TerminalListFactsDocument,
  TerminalListLearningsDocument,
  TerminalListSecretsDocument,
  TerminalListSessionsDocument,
  TerminalListTokensDocument,
  TerminalListUsersDocument,
  TerminalSearchDocument,
} from '../generated/remote/graphql.ts'
import { readPages } from './read-pages.ts'
import { print, printError, type Terminal } from './terminal.ts'
import { harmless } from '../core/text/harmless.ts'
import { cutText, textWidth } from './text/text-width.ts'

interface Listing<Item> {
  readonly json: boolean
  readonly heads: readonly string[]
  readonly row: (item: Item) => readonly string[]
}

export async function listSessions(
  client: FactotumClient,
  terminal: Terminal,
  { search, all, json }: { readonly search: string | null; readonly all: boolean; readonly json: boolean },
): Promise<void> {
  const filter = { includeInactive: all, ...(search !== null && { search }) }
  const found = await readPages(
    async (page) => (await client.run(TerminalListSessionsDocument, { ...page, filter })).page,
    { all: json },
  )
  show(found, terminal, {
    json,
    heads: ['SESSION', 'STATUS', 'TURNS', 'LAST', 'TITLE'],
    row: (item) => [
      item.id,
      item.queueLength > 0 ? `${item.status} +${item.queueLength}` : item.status,
      String(item.turnCount),
      minuteOf(item.lastActivityAt),
      item.title,
    ],
  })
}

/** All pages, however many there are without a match between those with one. */
export async function listMatches(
  client: FactotumClient,
  terminal: Terminal,
  { search, json }: { readonly search: string; readonly json: boolean },
): Promise<void> {
  const found = await readPages(async (page) => (await client.run(TerminalSearchDocument, { ...page, search })).page, {
    all: json,
  })
  show(found, terminal, {
    json,
    heads: ['SESSION', 'SAID', 'BY', 'TEXT'],
    row: ({ session, at, author, excerpt }) => [
      session.id,
      minuteOf(at),
      author.name ?? author.role.toLowerCase(),
      excerpt.map(({ text }) => text).join(''),
    ],
  })
}

export async function listFacts(
  client: FactotumClient,
  terminal: Terminal,
  { search, json }: { readonly search: string | null; readonly json: boolean },
): Promise<void> {
  const filter = search === null ? {} : { search }
  const found = await readPages(
    async (page) => (await client.run(TerminalListFactsDocument, { ...page, filter })).page,
    { all: json },
  )
  show(found, terminal, {
    json,
    heads: ['FACT', 'SOURCE', 'FOR', 'SAYS'],
    row: ({ id, source, scope, scopeOf, content }) => [
      id,
      source,
      scope === 'GLOBAL' ? 'everybody' : [scope.toLowerCase(), scopeOf].join(' '),
      content,
    ],
  })
}

export async function listLearnings(client: FactotumClient, terminal: Terminal, json: boolean): Promise<void> {
  const found = await readPages(
    async (page) =>
      (await client.run(TerminalListLearningsDocument, { ...page, filter: { status: ['PENDING'] } })).page,
    { all: json },
  )
  show(found, terminal, {
    json,
    heads: ['LEARNING', 'FROM', 'SAYS'],
    row: (item) => [item.id, item.user ?? item.session.id, item.held ? `(held) ${item.content}` : item.content],
  })
}

export async function listUsers(client: FactotumClient, terminal: Terminal, json: boolean): Promise<void> {
  const found = await readPages(async (page) => (await client.run(TerminalListUsersDocument, page)).page, { all: json })
  show(found, terminal, {
    json,
    heads: ['USER', 'ROLE', 'FROM', 'MAY USE'],
    row: ({ name, role, account }) => [
      name,
      role,
      account?.declared === true ? 'config.toml' : 'API',
      role === 'ADMIN' || account?.allSkills === true
        ? 'everything'
        : [...(account?.skills ?? []), ...(account?.tools ?? [])].join(' '),
    ],
  })
}

export async function listTokens(client: FactotumClient, terminal: Terminal, json: boolean): Promise<void> {
  const found = await readPages(async (page) => (await client.run(TerminalListTokensDocument, page)).page, {
    all: json,
  })
  show(found, terminal, {
    json,
    heads: ['TOKEN', 'KIND', 'FOR', 'FROM', 'LAST USED', 'EXPIRES'],
    row: (token) => [
      token.name,
      token.kind,
      token.user?.name ?? token.namespace ?? '*',
      token.declared ? 'config.toml' : 'API',
      token.lastUsedAt === null ? 'never' : minuteOf(token.lastUsedAt),
      token.expiresAt === null ? 'never' : minuteOf(token.expiresAt),
    ],
  })
}

export async function listSecrets(client: FactotumClient, terminal: Terminal, json: boolean): Promise<void> {
  const found = await readPages(async (page) => (await client.run(TerminalListSecretsDocument, page)).page, {
    all: json,
  })
  show(found, terminal, {
    json,
    heads: ['SECRET', 'SET IN', 'WANTED BY'],
    row: ({ name, source, wantedBy }) => [
      name,
      source === null ? 'nowhere' : source === 'ENV_FILE' ? '.env' : 'environment',
      wantedBy.map((use) => `${use.kind.toLowerCase()} ${use.name}`).join(', '),
    ],
  })
}

/** As JSON, or as a table. */
export function show<Item>(
  { items, isCut }: { readonly items: readonly Item[]; readonly isCut: boolean },
  terminal: Terminal,
  { json, heads, row }: Listing<Item>,
): void {
  // Never cut: a program would not see the notice.
  if (json) return print(terminal, JSON.stringify(items, null, 2))
  if (items.length === 0) return printError(terminal, 'There is nothing to show.')
  const width = terminal.isInteractive ? (terminal.output.columns ?? 80) : null
  const [first = '', ...rest] = textTable([heads, ...items.map(row)], width).split('\n')
  print(terminal, [styleText('bold', first), ...rest].join('\n'))
  if (isCut) printError(terminal, `… and more; these are the first ${items.length}.`)
}

/** UTC. */
function minuteOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)}`
}

/**
 * Rows of texts in columns, for a terminal of this width.
 * The last column takes what is left, and is cut there; in a pipe (`width` null) nothing is cut.
 */
export function textTable(rows: readonly (readonly string[])[], width: number | null): string {
  const clean = rows.map((row) => row.map((cell) => harmless(cell).replaceAll(/\s+/g, ' ')))
  const columns = Math.max(...clean.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...clean.map((row) => textWidth(row[column] ?? ''))),
  )
  return clean.map((row) => cut(row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '), width)).join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - textWidth(cell))
}

function cut(line: string, width: number | null): string {
  const trimmed = line.trimEnd()
  return width === null ? trimmed : cutText(trimmed, width)
}
