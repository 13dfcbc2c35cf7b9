/**
 * Records the SQL that reaches PostgreSQL while something runs, from wherever it comes: Prisma, or hand-written
 * statements.
 */
import pg from 'pg'

/** By which a connection comes to plan another way: depends on what it was asked before. */
const PLAN_MODE = 'SET plan_cache_mode'

/** The statements, in order, without parameters. One recording at a time. */
export async function recordStatements(action: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const original = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown
  function recording(this: pg.Client, ...args: unknown[]): unknown {
    const [first] = args
    const text = typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? 'unknown')
    if (!text.startsWith(PLAN_MODE)) statements.push(text)
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
