/**
 * The system prompts: each one's prompt.md, or the user's own in `<home>/roles/<name>.md`, followed by the ground
 * rules, which no override replaces. An override is read again when its file changes, so it holds from the next call
 * on. An override that exists but cannot be used fails the call and names the file: the built-in prompt must not
 * silently take its place.
 */
import { readFileSync, statSync, type BigIntStats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../core/errors.ts'
import { PROMPT_NAMES, type PromptName } from '../core/model-call.ts'
import { packageFile } from '../platform/package-file.ts'

const MAX_PROMPT_BYTES = 256 * 1024

export interface RolePrompts {
  /** Rejects with CONFIG_INVALID when the override cannot be used. */
  /** With what a session adds, before the ground rules. */
  systemPrompt(name: PromptName, instructions?: string | null): Promise<string>
}

interface ReadOverride {
  /** Changes when the file does. */
  readonly version: string
  readonly text: string
}

export function createRolePrompts(home: string): RolePrompts {
  const groundRules = readBuiltIn('ground-rules.md')
  const builtIn = new Map(PROMPT_NAMES.map((name) => [name, readBuiltIn(`${name}/prompt.md`)]))
  const overrides = new Map<PromptName, ReadOverride>()
  return {
    systemPrompt: async (name, instructions = null) => {
      const path = join(home, 'roles', `${name}.md`)
      const override = await readOverride(path, overrides.get(name))
      if (override === null) overrides.delete(name)
      else overrides.set(name, override)
      const ofSession = instructions === null ? '' : `# For this session\n\n${instructions}\n\n`
      return `${override?.text ?? builtIn.get(name)}\n\n${ofSession}${groundRules}`
    },
  }
}

function readBuiltIn(path: string): string {
  return readFileSync(packageFile(`src/agents/${path}`), 'utf8').trim()
}

async function readOverride(path: string, known: ReadOverride | undefined): Promise<ReadOverride | null> {
  const version = versionOf(path)
  if (version === null) return null
  if (known?.version === version) return known
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    refuse(path, `cannot be read: ${messageOf(error)}`),
  )
  if (text.trim() === '') refuse(path, 'is empty')
  return { version, text: text.toWellFormed().trim() }
}

/** null: there is no such file. Synchronous, because it happens before every call and takes microseconds. */
function versionOf(path: string): string | null {
  const found = statFile(path)
  if (found === undefined) return null
  if (!found.isFile()) refuse(path, 'is not a file')
  if (found.size > MAX_PROMPT_BYTES) refuse(path, `is larger than ${MAX_PROMPT_BYTES / 1024} KiB`)
  return `${found.ino} ${found.size} ${found.mtimeNs}`
}

function statFile(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return refuse(path, `cannot be read: ${messageOf(error)}`)
  }
}

function refuse(path: string, problem: string): never {
  throw new AppError(
    'CONFIG_INVALID',
    `The prompt ${path} ${problem}. Mend it, or delete it to use the built-in prompt.`,
  )
}
