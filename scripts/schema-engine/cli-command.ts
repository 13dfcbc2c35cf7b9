/**
 * The engine's one-off commands (`schema-engine cli <command>`). Failure is exit code 1 and, on stderr, a line that the
 * CLI skips followed by log lines in JSON, of which one carries Prisma's error code.
 */
import type { DatabaseServer } from './database-server.ts'

/** The exit code. */
export async function runCliCommand(command: string | undefined, server: DatabaseServer): Promise<number> {
  try {
    await run(command, server)
    return 0
  } catch (error) {
    const fields = { message: messageOf(error), error_code: prismaCode(error) }
    process.stderr.write(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}\n`)
    return 1
  }
}

async function run(command: string | undefined, server: DatabaseServer): Promise<void> {
  switch (command) {
    case 'can-connect-to-database':
      return await server.ping()
    case 'create-database':
      return await server.create(server.database)
    case 'drop-database':
      return await server.drop(server.database)
    default:
      throw new Error(`unknown command: ${command}`)
  }
}

/** Of these the CLI tells "no such database" apart, which it then creates; all are shown to the user. */
function prismaCode(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (code === '3D000') return 'P1003'
  if (code === '28P01') return 'P1000'
  if (code === '28000' || code === '42501') return 'P1010'
  return 'P1001'
}

/** A refused connection to a name with several addresses has no message of its own. */
function messageOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown }
  return message !== undefined && message !== '' ? message : String(code ?? error)
}
