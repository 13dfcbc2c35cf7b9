/**
 * The named entries of a file as they stand there, checked or not. Rules that cross sections are checked on these, so
 * that they are reported together with everything else that is wrong, whatever else is wrong.
 */
export type RawEntry = Readonly<Record<string, unknown>>

export interface Sections {
  readonly tokens: ReadonlyMap<string, RawEntry>
  readonly users: ReadonlyMap<string, RawEntry>
  readonly providers: ReadonlyMap<string, RawEntry>
  readonly models: RawEntry
  readonly prices: ReadonlyMap<string, RawEntry>
}

export function readSections(file: RawEntry): Sections {
  return {
    tokens: entriesOf(file['tokens']),
    users: entriesOf(file['users']),
    providers: entriesOf(file['providers']),
    models: asTable(file['models']),
    prices: entriesOf(file['prices']),
  }
}

/** The keys of a table whose values are text. */
export function textsOf(table: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries(asTable(table)).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

function entriesOf(section: unknown): ReadonlyMap<string, RawEntry> {
  return new Map(Object.entries(asTable(section)).map(([name, entry]) => [name, asTable(entry)]))
}

function asTable(value: unknown): RawEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawEntry) : {}
}
