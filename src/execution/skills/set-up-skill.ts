/**
 * The last steps of an installation, in the skill's final folder: deps.sh, its own Python, its programs, its secrets.
 */
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { deployEnvironment, describeMissing, type SecretOf } from './deploy-environment.ts'
import { locateProgram } from './locate-program.ts'
import { preparePython, removeBroughtPython } from './prepare-python.ts'
import { runForSetUp, type SetUpEnvironment } from './run-for-set-up.ts'
import type { InstalledSkill } from './skill-folder.ts'

interface SetUpOptions {
  /** Null: there is none, or it is skipped. */
  readonly depsScript: string | null
  /** A program that is missing fails the installation; else it is only noted. */
  readonly requirePrograms: boolean
  readonly secretOf: SecretOf
  /** `cwd`: the skill's folder. */
  readonly tools: SetUpEnvironment
}

/** What the admin still has to see to; rejects with an AppError when the skill cannot work. */
export async function setUpSkill(skill: InstalledSkill, options: SetUpOptions): Promise<readonly string[]> {
  const { tools, depsScript, requirePrograms, secretOf } = options
  await removeBroughtPython(skill.folder)
  if (depsScript !== null) await runForSetUp('/bin/bash', ['--', depsScript], tools)
  await preparePython(skill.folder, skill.python, tools)
  const missing = skill.bin.filter((name) => locateProgram(name) === null)
  const noPrograms = `The skill needs programs that are not installed in /usr: ${missing.join(', ')}.`
  if (missing.length > 0 && requirePrograms) {
    throw new AppError('SKILL_REFUSED', `${noPrograms} Install them and try again, or use --no-deps.`)
  }
  openForReading(skill.folder)
  const secrets = deployEnvironment(skill, secretOf)
  return [
    ...(missing.length > 0 ? [noPrograms] : []),
    ...(secrets.missing.length > 0 ? [describeMissing(skill.name, secrets.missing)] : []),
  ]
}

interface DepsScript {
  /** Relative to the skill's folder. */
  readonly file: string
  /** Its text, with everything that a terminal would not show as it is made visible. */
  readonly shown: string
}

/** Null: the skill has none. Throws an AppError when it is not a plain file. */
export function readDepsScript(folder: string): DepsScript | null {
  const stats = lstatSync(join(folder, 'deps.sh'), { throwIfNoEntry: false })
  if (stats === undefined) return null
  if (!stats.isFile()) throw new AppError('SKILL_REFUSED', 'deps.sh is not a plain file.')
  return { file: 'deps.sh', shown: makeVisible(readFileSync(join(folder, 'deps.sh'), 'utf8')) }
}

/** Control characters and those that change the direction of writing could hide a line from its reader. */
export function makeVisible(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Sandboxed skills run as another account, which must be able to read them, whatever the admin's umask was. */
function openForReading(folder: string): void {
  chmodSync(folder, lstatSync(folder).mode | 0o555)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openForReading(path)
    else if (entry.isFile()) {
      const { mode } = lstatSync(path)
      chmodSync(path, mode | ((mode & 0o100) === 0 ? 0o444 : 0o555))
    }
  }
}
