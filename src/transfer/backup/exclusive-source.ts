/**
 * A database that `factotum move-to` copies: what a server stores in it meanwhile would be lost. Each server takes the
 * migration lock as it starts, those of older versions, too, so none starts while this holds it; one that runs has a
 * connection that listens, whether it is paused or not.
 */
import type pg from 'pg'
import { AppError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { connectClient } from '../../store/connection/connect-client.ts'
import { lockMigrations, MOVING } from '../../store/connection/lock-migrations.ts'

export interface SourceOptions {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly logger: Logger
}

type Pieces = AsyncIterable<Buffer>

/**
 * `unlessAtWork`: fails before the last piece when a server works all the same, so that the copy is not whole. Rejects
 * with TRANSFER_REFUSED, before anything is copied, when one works already.
 */
export async function whileNoServerWorks<Result>(
  { databaseUrl, ...locking }: SourceOptions,
  copy: (unlessAtWork: (pieces: Pieces) => Pieces) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(databaseUrl, MOVING)
  try {
    await refuseAtWork(client)
    await lockMigrations(client, locking)
    await refuseAtWork(client)
    return await copy((pieces) => unlessAtWork(client, pieces))
  } finally {
    await client.end() // the lock goes with the connection
  }
}

/** One that had taken the lock just before it was taken here is seen by the end of the copy. */
async function* unlessAtWork(client: pg.Client, pieces: Pieces): AsyncGenerator<Buffer, void, void> {
  let last: Buffer | null = null
  for await (const piece of pieces) {
    if (last !== null) yield last
    last = piece
  }
  await refuseAtWork(client)
  if (last !== null) yield last
}

const AT_WORK = `SELECT
  EXISTS (SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('factotum doorbell', 'factotum node')) AS runs,
  EXISTS (SELECT FROM nodes WHERE evicted_at IS NULL AND seen_at > now() - interval '15 s') AS ran`

async function refuseAtWork(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ runs: boolean; ran: boolean }>(AT_WORK)
  if (rows[0]?.runs === true || rows[0]?.ran === true)
    throw new AppError('TRANSFER_REFUSED', 'A server works on this database. Stop it first, and wait 15 s.')
}
