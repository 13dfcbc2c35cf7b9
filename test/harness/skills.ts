/** Skills for tests, put where an admin would put them: as folders below FACTOTUM_HOME. */
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const EXAMPLES = fileURLToPath(new URL('../../examples/skills', import.meta.url))

/** Copies a skill of `examples/skills`. */
export function addExampleSkill(home: string, name: string): string {
  const folder = join(home, 'skills', name)
  cpSync(join(EXAMPLES, name), folder, { recursive: true })
  return folder
}

export interface SkillFiles {
  /** What stands below `[kiso]` besides type and name. */
  readonly manifest?: string
  /** Path → text; those in `bin/` are executable. */
  readonly files: Readonly<Record<string, string>>
}

/** Writes a skill called `name`. Returns its folder. */
export function addSkill(home: string, name: string, { manifest = '', files }: SkillFiles): string {
  const folder = join(home, 'skills', name)
  const toml = `[kiso]\ntype = "skill"\nname = "${name}"\n[kiso.skill]\nsummary = "For a test."\n${manifest}`
  for (const [path, text] of Object.entries({ 'kiso.toml': toml, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    if (path.startsWith('bin/')) chmodSync(join(folder, path), 0o755)
  }
  return folder
}
