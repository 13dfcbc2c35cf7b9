/** Of what the cost of a turn consists. */
import type { Client } from 'pg'
import { show } from '../figures.ts'
import type { WalShare } from './wal.ts'

const SHOWN = 70

/** The log of several rounds, by relation and kind of record. */
export function printShares(shares: readonly WalShare[], turns: number): void {
  const sums = new Map<string, Omit<WalShare, 'relation' | 'kind'>>()
  for (const { relation, kind, records, bytes, pageBytes } of shares) {
    const known = sums.get(`${relation} ${kind}`) ?? { records: 0, bytes: 0, pageBytes: 0 }
    sums.set(`${relation} ${kind}`, {
      records: known.records + records,
      bytes: known.bytes + bytes,
      pageBytes: known.pageBytes + pageBytes,
    })
  }
  const largest = [...sums].toSorted(([, a], [, b]) => b.bytes - a.bytes).slice(0, SHOWN)
  for (const [what, { records, bytes, pageBytes }] of largest) {
    const figures = [
      `${cell(bytes / turns)} B`,
      `${cell(records / turns)} records`,
      `${cell(pageBytes / turns)} B of pages`,
    ]
    console.log(`  ${figures.join(' ')}  ${what}`)
  }
}

/** Those that took longest; times are those of the clock, so they tell little on a busy machine. */
export async function printStatements(client: Client, turns: number): Promise<void> {
  const { rows } = await client.query<{ calls: number; ms: number; walBytes: number; text: string }>(
    `SELECT calls::float8 AS calls, total_exec_time AS ms, wal_bytes::float8 AS "walBytes",
       left(regexp_replace(query, '\\s+', ' ', 'g'), 100) AS text
     FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 40`,
  )
  for (const { calls, ms, walBytes, text } of rows) {
    const figures = [`${cell(ms / turns)} ms`, `${cell(calls / turns)} times`, `${cell(walBytes / turns)} B`]
    console.log(`  ${figures.join(' ')}  ${text}`)
  }
}

function cell(value: number): string {
  return show(value).padStart(6)
}
