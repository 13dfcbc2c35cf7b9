/**
 * How a skill starts, on the side of the command host: as a line for the shell that starts every command, and what has
 * to be there for it. The folder of a skill is read-only for every process that the kernel confines.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { closedDirectory, type Account } from '../../config/home/unprivileged-account.ts'
import { INSTALLING_MARKER } from './installing-marker.ts'
import { locateProgram } from './locate-program.ts'
import { explainMissingInterpreter, explainMissingProgram } from './skill-interpreter.ts'
import type { SkillStart } from './skill-folder.ts'

/** As it crosses to the command host. */
export interface SkillProgram {
  readonly name: string
  /** Absolute. */
  readonly folder: string
  readonly start: SkillStart
  /** JSON for its standard input. */
  readonly input: string
  /** Its deploy secrets, by the names of their variables. */
  readonly environment: Readonly<Record<string, string>>
}

/** Where a sandboxed skill finds its folder. */
export const SANDBOX_SKILL = '/skill'
/** Where the sandbox has the Node that this server runs on, for who mounts it there. */
export const SANDBOX_NODE = '/node'

/** What a launch adds for a skill. */
export interface SkillLaunch {
  /** For bash. */
  readonly command: string
  readonly input: string
  readonly environment: Readonly<Record<string, string>>
  /** Shown read-only to the skill: what is at `source`, at `target`. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[]
}

/**
 * Why it cannot run now, for people; null: it is there. A sandbox that is to show a folder which has just gone does not
 * start, and would count as one that does not work.
 */
export function explainAbsence(skill: SkillProgram, isConfined: boolean): string | null {
  const { name, folder, start } = skill
  const isReady = existsSync(join(folder, start.file)) && !existsSync(join(folder, INSTALLING_MARKER))
  if (!isReady) return `The skill "${name}" was not run: it has just been removed, or is being updated.`
  return explainMissingInterpreter(skill, isConfined)
}

/** A Node program gets the Node of this server. `mounts` takes effect only with bubblewrap. */
export function planAdminSkill(skill: SkillProgram): SkillLaunch {
  const { folder, input, environment } = skill
  const command = commandFor(skill, { folder, node: process.execPath })
  return { command, input, environment, mounts: [{ source: folder, target: folder }] }
}

/** A text: why it cannot run. */
export function planConfinedSkill(skill: SkillProgram, account: Account | null): SkillLaunch | string {
  const { folder, input, environment } = skill
  if (closedDirectory(account, folder) !== null) return explainClosed(skill)
  const hasNode = skill.start.kind === 'NODE' && closedDirectory(account, dirname(process.execPath)) === null
  if (skill.start.kind === 'NODE' && !hasNode && locateProgram('node') === null)
    return explainMissingProgram(skill.name, 'node')
  const command = commandFor(skill, { folder: SANDBOX_SKILL, node: hasNode ? SANDBOX_NODE : 'node' })
  const mounts = [
    { source: folder, target: SANDBOX_SKILL },
    ...(hasNode ? [{ source: process.execPath, target: SANDBOX_NODE }] : []),
  ]
  return { command, input, environment, mounts }
}

function explainClosed({ name, folder }: SkillProgram): string {
  return `The skill "${name}" was not run: the account as which it runs cannot read its folder. Run: chmod -R a+rX ${folder} (and see that the folders above it can be entered).`
}

interface SkillPaths {
  readonly folder: string
  readonly node: string
}

/**
 * The shell becomes the skill. Its input comes through `cat`, because what this process writes to is a socket, and a
 * socket cannot be opened by name, as programs do with /dev/stdin.
 */
function commandFor({ start }: SkillProgram, { folder, node }: SkillPaths): string {
  const file = quote(join(folder, start.file))
  return `exec ${interpreterFor(start, { folder, node })}${file} < <(exec cat)`
}

function interpreterFor(start: SkillStart, { folder, node }: SkillPaths): string {
  switch (start.kind) {
    case 'PROGRAM':
      return ''
    case 'NODE':
      return `${quote(node)} `
    case 'PYTHON':
      // -B: no compiled files beside the program, where nothing can be written.
      return `${start.hasVenv ? quote(join(folder, '.venv/bin/python')) : 'python3'} -B `
    default:
      return start satisfies never
  }
}

/** One word for bash, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
