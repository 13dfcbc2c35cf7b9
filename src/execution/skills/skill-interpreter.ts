/** What a skill's program is run by, and whether it is there: bash would only say "not found". */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment } from '../sandbox/clean-environment.ts'
import { locateProgram } from './locate-program.ts'
import type { InstalledSkill } from './skill-folder.ts'

/** The kernel reads no more of a first line. */
const MAX_LINE_BYTES = 256
/** What the sandbox shows of the machine. */
const IN_SANDBOX = /^\/(?:usr|bin|sbin|lib\w*)\//

/** Why it cannot run, for people; null: nothing is known to be missing. `skill`: its program is there. */
export function explainMissingInterpreter(
  { name, folder, start }: Pick<InstalledSkill, 'name' | 'folder' | 'start'>,
  isConfined: boolean,
): string | null {
  if (start.kind === 'PYTHON' && start.hasVenv) {
    if (existsSync(join(folder, '.venv/bin/python'))) return null
    return `The skill "${name}" was not run: the Python that it was installed with is gone. The operator makes it anew: factotum skill update ${name}`
  }
  // The Node of this server is there; whether the sandbox can show it is known later.
  if (start.kind === 'NODE') return null
  const wanted = start.kind === 'PYTHON' ? 'python3' : interpreterOf(join(folder, start.file))
  return wanted === null || isThere(wanted, isConfined) ? null : explainMissingProgram(name, wanted)
}

/** For a program that has to be in /usr. */
export function explainMissingProgram(skill: string, program: string): string {
  return `The skill "${skill}" was not run: it is run by ${program}, which is not in /usr on the server. The operator installs it there.`
}

function isThere(program: string, isConfined: boolean): boolean {
  if (!program.startsWith('/')) return locateProgram(program, cleanEnvironment('/', isConfined)['PATH']) !== null
  return existsSync(program) && (!isConfined || IN_SANDBOX.test(program))
}

/** By its name, or absolute; null: it needs none, or which one is not certain. */
function interpreterOf(file: string): string | null {
  const [, path = '', rest = ''] = /^#![ \t]*(\/\S+)[ \t]*(.*)$/m.exec(firstLine(file)) ?? []
  if (!/^\/(?:usr\/)?bin\/env$/.test(path)) return path === '' ? null : path
  return /^(?:-S[ \t]*)?([\w.+-]+)(?:[ \t]|$)/.exec(rest)?.[1] ?? null
}

/** Empty when it cannot be read, as of a skill that is just being removed. */
function firstLine(file: string): string {
  let fd: number | null = null
  try {
    fd = openSync(file, 'r')
    const bytes = Buffer.alloc(MAX_LINE_BYTES)
    return bytes.toString('latin1', 0, readSync(fd, bytes)).split('\n', 1)[0] ?? ''
  } catch {
    return ''
  } finally {
    if (fd !== null) closeSync(fd)
  }
}
