/**
 * Records the SQL that reaches PostgreSQL while something runs, from wherever it comes: Prisma, or hand-written
 * statements.
 */
import pg from 'pg'

/** The statements, in order, without parameters. One recording at a time. */
export async function recordStatements(action: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const original = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown
  function recording(this: pg.Client, ...args: unknown[]): unknown {
    const [first] = args
    statements.push(typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? 'unknown'))
    return Reflect.apply(original, this, args)
  }
  Reflect.set(pg.Client.prototype, 'query', recording)
  try {
    await action()
  } finally {
    Reflect.set(pg.Client.prototype, 'query', original)
  }
  return statements
}
