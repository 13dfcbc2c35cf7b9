/** Puts a server of the zoo where `[mcp.<name>]` runs it: `command = "node"`, `args = ["<name>.ts"]`. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ZOO = join(import.meta.dirname, 'zoo')

export function moveIn(home: string, animal: string): void {
  const folder = join(home, 'mcp', animal)
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(ZOO)) cpSync(join(ZOO, file), join(folder, file))
}
