/**
 * Which PostgreSQL this process uses: the one in DATABASE_URL, or the embedded one of its home. `cli.ts` calls this
 * first, and what it returns is stopped last.
 */
import { AppError } from '../../core/errors.ts'
import { startEmbeddedPostgres, type EmbeddedPostgresOptions } from '../../postgres/embedded-postgres.ts'

/** The PostgreSQL of this process; the embedded one runs by now, one of DATABASE_URL need not be reachable yet. */
export interface ResolvedDatabase {
  /** With the password in it: for connecting, not for logs. */
  readonly url: string
  readonly embedded: boolean
  /**
   * After all connections are closed. Stops the embedded server if no other process uses it; otherwise does nothing.
   */
  stop(): Promise<void>
}

/** Throws CONFIG_INVALID, saying what to change, or DATABASE_UNAVAILABLE. */
export async function resolveDatabase(
  databaseUrl: string | null,
  options: EmbeddedPostgresOptions,
): Promise<ResolvedDatabase> {
  if (databaseUrl === null) {
    const server = await startEmbeddedPostgres(options)
    return { url: server.url, embedded: true, stop: () => server.stop() }
  }
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new AppError(
      'CONFIG_INVALID',
      'DATABASE_URL must have the form postgresql://user:password@host:5432/database. ' +
        'Unset it to use the embedded PostgreSQL.',
    )
  }
  return { url: databaseUrl, embedded: false, stop: () => Promise.resolve() }
}
