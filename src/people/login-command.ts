/** `factotum login`: prints a link that logs in to the console, once. Called by cli.ts. */
import type { Clock } from '../platform/clock.ts'
import { AppError } from '../core/errors.ts'
import { hasCode } from '../platform/error-code.ts'
import { connectClient } from '../store/connection/connect-client.ts'
import type { Queryable, Statement } from '../store/database.ts'
import { goOnAfterRestore } from '../store/go-on-after-restore.ts'
import { toAppError } from '../store/to-app-error.ts'
import { createLoginLink } from './create-login-link.ts'

export interface LoginCommandOptions {
  readonly databaseUrl: string
  /** Under which people reach the server, such as "http://127.0.0.1:4000". */
  readonly address: string
  /** Null: the only admin. */
  readonly user: string | null
  readonly clock: Clock
  readonly print: (line: string) => void
}

/** Rejects with CONFIG_INVALID when nobody can log in. Each call prints another link. */
export async function loginCommand({ databaseUrl, address, user, clock, print }: LoginCommandOptions): Promise<void> {
  const client = await connectClient(databaseUrl, 'factotum login')
  try {
    const transaction: Queryable = {
      query: async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
        (await client.query<Row>({ name, text, values: [...values] })).rows,
    }
    await client.query('BEGIN')
    await goOnAfterRestore(transaction)
    const { path, userName, tokenName } = await createLoginLink(transaction, { user, at: clock.now() })
    await client.query('COMMIT')
    print(describeLoginLink({ url: `${address}${path}`, userName, tokenName }))
  } catch (error) {
    if (hasCode(error, '42P01', '42883'))
      throw new AppError('CONFIG_INVALID', 'The database is new, or of an earlier version. Start the server once.')
    throw toAppError(error)
  } finally {
    await client.end()
  }
}

/** What people are told of a link. */
export function describeLoginLink(link: {
  readonly url: string
  readonly userName: string
  readonly tokenName: string
}): string {
  const { url, userName, tokenName } = link
  return [
    `Open this link to use the console as "${userName}". It works once, for five minutes:`,
    '',
    `  ${url}`,
    '',
    `The login lasts twelve hours, and ends when the token "${tokenName}" does.`,
  ].join('\n')
}
