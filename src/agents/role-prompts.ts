/**
 * The system prompts: each one's prompt.md, or the user's own in `<home>/roles/<name>.md`, followed by the ground
 * rules, which no override replaces. An override is read again when its file changes, so it holds from the next call
 * on. An override that exists but cannot be used fails the call and names the file: the built-in prompt must not
 * silently take its place.
 */
import { hash } from 'node:crypto'
import { readFileSync, statSync, type BigIntStats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../core/errors.ts'
import { PROMPT_NAMES, type PromptName } from '../core/model-call.ts'
import { must } from '../platform/must.ts'
import { packageFile } from '../platform/package-file.ts'

const MAX_PROMPT_BYTES = 256 * 1024

export interface SystemPrompt {
  readonly text: string
  /** Of the text, in hex; null: something of a session is in it. */
  readonly sharedSha256: string | null
}

export interface RolePrompts {
  /**
   * With what a session adds, before the ground rules. Rejects with CONFIG_INVALID when the override cannot be used.
   */
  systemPrompt(name: PromptName, instructions?: string | null): Promise<SystemPrompt>
}

/** What prompt files say, without the ground rules; and as a prompt, when no session adds to it. */
interface ReadPrompt {
  readonly text: string
  readonly whole: SystemPrompt
}

interface ReadOverride extends ReadPrompt {
  /** Changes when the file does. */
  readonly version: string
}

export function createRolePrompts(home: string): RolePrompts {
  const groundRules = readBuiltIn('ground-rules.md')
  const asPrompt = (text: string): ReadPrompt => {
    const whole = `${text}\n\n${groundRules}`
    return { text, whole: { text: whole, sharedSha256: hash('sha256', whole) } }
  }
  const builtIn = new Map(PROMPT_NAMES.map((name) => [name, asPrompt(readBuiltIn(`${name}/prompt.md`))]))
  const overrides = new Map<PromptName, ReadOverride>()
  const overrideOf = async (name: PromptName): Promise<ReadPrompt | null> => {
    const path = join(home, 'roles', `${name}.md`)
    const version = versionOf(path)
    const known = overrides.get(name)
    if (known?.version === version) return known
    overrides.delete(name)
    if (version === null) return null
    const override = { version, ...asPrompt(await readOverride(path)) }
    overrides.set(name, override)
    return override
  }
  return {
    systemPrompt: async (name, instructions = null) => {
      const { text, whole } = (await overrideOf(name)) ?? must(builtIn.get(name), 'every prompt is built in')
      if (instructions === null) return whole
      return { text: `${text}\n\n# For this session\n\n${instructions}\n\n${groundRules}`, sharedSha256: null }
    },
  }
}

function readBuiltIn(path: string): string {
  return readFileSync(packageFile(`src/agents/${path}`), 'utf8').trim()
}

async function readOverride(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    refuse(path, `cannot be read: ${messageOf(error)}`),
  )
  if (text.trim() === '') refuse(path, 'is empty')
  return text.toWellFormed().trim()
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
