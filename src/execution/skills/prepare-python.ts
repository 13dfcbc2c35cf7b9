/**
 * Gives a skill with pyproject.toml or requirements.txt a Python of its own, in `.venv`, with what these two ask for.
 * Made from the system's Python, because only that is visible in the sandbox.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import * as z from 'zod'
import { AppError, messageOf } from '../../core/errors.ts'
import { locateProgram } from './locate-program.ts'
import { runForSetUp, type SetUpEnvironment } from './run-for-set-up.ts'

const VENV = '.venv'

const projectSchema = z.looseObject({
  project: z
    .looseObject({
      // What begins with a dash would be an option.
      dependencies: z.array(z.string().regex(/^[A-Za-z0-9]/)).default([]),
      'requires-python': z.string().optional(),
    })
    .prefault({}),
})

/** `python`: the version that the manifest asks for. Rejects with an AppError; the folder is then of no use. */
export async function preparePython(folder: string, python: string | null, tools: SetUpEnvironment): Promise<void> {
  const requirements = existsSync(join(folder, 'requirements.txt'))
  const project = readProject(folder)
  if (!requirements && project === null) return
  const system = locateProgram('python3')
  if (system === null) throw refuse('The skill needs Python: install python3 in /usr/bin, where the sandbox finds it.')
  const version = (await runForSetUp(system, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], tools)).trim()
  for (const spec of [python, project?.requiresPython ?? null]) checkVersion(version, spec)
  const wanted = [...(project?.dependencies ?? []), ...(requirements ? ['-r', 'requirements.txt'] : [])]
  await makeEnvironment({ folder, system, wanted }, tools)
}

interface Environment {
  readonly folder: string
  readonly system: string
  /** For `pip install`; empty: nothing beside Python itself. */
  readonly wanted: readonly string[]
}

async function makeEnvironment({ folder, system, wanted }: Environment, tools: SetUpEnvironment): Promise<void> {
  const inFolder = { ...tools, cwd: folder }
  const uv = locateProgram('uv', tools.environment['PATH'])
  if (wanted.length === 0) return void (await runForSetUp(system, ['-m', 'venv', '--without-pip', VENV], inFolder))
  if (await hasPip(system, tools)) {
    await runForSetUp(system, ['-m', 'venv', VENV], inFolder)
    const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', ...wanted]
    return void (await runForSetUp(join(folder, VENV, 'bin/python'), pip, inFolder))
  }
  if (uv === null) {
    throw refuse(
      'The skill needs packages, and this Python cannot install any. Run "apt install python3-venv", or install uv.',
    )
  }
  await runForSetUp(uv, ['venv', '--python', system, VENV], inFolder)
  await runForSetUp(uv, ['pip', 'install', '--python', join(VENV, 'bin/python'), ...wanted], inFolder)
}

async function hasPip(system: string, tools: SetUpEnvironment): Promise<boolean> {
  return runForSetUp(system, ['-c', 'import venv, ensurepip'], { ...tools, onOutput: undefined }).then(
    () => true,
    () => false,
  )
}

interface Project {
  readonly dependencies: readonly string[]
  readonly requiresPython: string | null
}

/** Null: there is no pyproject.toml. */
function readProject(folder: string): Project | null {
  const path = join(folder, 'pyproject.toml')
  if (!existsSync(path)) return null
  try {
    const { project } = projectSchema.parse(parse(readFileSync(path, 'utf8')))
    return { dependencies: project.dependencies, requiresPython: project['requires-python'] ?? null }
  } catch (error) {
    throw refuse(`pyproject.toml cannot be used: ${messageOf(error)}`)
  }
}

/** Only the usual form, ">=3.11", is checked; pip checks the rest for the packages. */
function checkVersion(version: string, spec: string | null): void {
  const least = /^\s*>=\s*(\d+)\.(\d+)/.exec(spec ?? '')
  if (least === null) return
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor] = [Number(least[1]), Number(least[2])]
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  throw refuse(`The skill needs Python ${spec?.trim()}; this system has ${version}.`)
}

function refuse(message: string): AppError {
  return new AppError('SKILL_REFUSED', message)
}
