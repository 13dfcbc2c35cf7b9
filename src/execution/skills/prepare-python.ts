/**
 * Gives a skill with pyproject.toml or requirements.txt a Python of its own, in `.venv`, with what these two ask for.
 * Made from the system's Python, because only that is visible in the sandbox.
 *
 * What must hold: no code of the skill or of a package runs here, for it would run with the admin's rights and without
 * a question. So only wheels are installed, which are unpacked; and no Python started here imports from the skill's
 * folder (`-I`), or is one that the skill brings.
 */
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
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

/**
 * Before deps.sh, which may make a `.venv` once it was agreed to: removes one that came with the files of a skill that
 * gets its own.
 */
export async function removeBroughtPython(folder: string): Promise<void> {
  if (wantsPython(folder)) await rm(join(folder, VENV), { recursive: true, force: true })
}

function wantsPython(folder: string): boolean {
  return ['requirements.txt', 'pyproject.toml'].some((file) => existsSync(join(folder, file)))
}

/** `python`: the version that the manifest asks for. Rejects with an AppError; the folder is then of no use. */
export async function preparePython(folder: string, python: string | null, tools: SetUpEnvironment): Promise<void> {
  if (!wantsPython(folder)) return
  const requirements = existsSync(join(folder, 'requirements.txt'))
  const project = readProject(folder)
  const system = locateProgram('python3')
  if (system === null) throw refuse('The skill needs Python: install python3 in /usr/bin, where the sandbox finds it.')
  const version = (
    await runForSetUp(system, ['-I', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], tools)
  ).trim()
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
  const venv = ['-I', '-m', 'venv']
  if (wanted.length === 0) return void (await runForSetUp(system, [...venv, '--without-pip', VENV], inFolder))
  if (await hasPip(system, tools)) {
    await runForSetUp(system, [...venv, VENV], inFolder)
    const pip = ['-I', '-c', PIP, 'install', '--no-input', '--disable-pip-version-check', '--only-binary=:all:']
    return installPackages(join(folder, VENV, 'bin/python'), [...pip, ...wanted], inFolder)
  }
  if (uv === null) {
    throw refuse(
      'The skill needs packages, and this Python cannot install any. Run "apt install python3-venv", or install uv.',
    )
  }
  const path = join(folder, 'requirements.txt')
  if (existsSync(path) && mayBuildWithUv(readFileSync(path, 'utf8'))) throw refuse(WHEELS_ONLY)
  await runForSetUp(uv, ['venv', '--python', system, VENV], inFolder)
  await installPackages(uv, ['pip', 'install', '--no-build', '--python', join(VENV, 'bin/python'), ...wanted], inFolder)
}

/**
 * `python -m pip` that starts no process, since it builds in one. The option alone does not hold: a requirements.txt
 * can take it back (`--no-binary`), and a folder, an archive or a repository is built all the same. An OSError, because
 * pip shows it in a line, and goes on where it only asks the system for its name.
 */
const PIP = `
import runpy, sys

def refuse(event, args):
    if event == "subprocess.Popen":
        raise OSError("a package would be built from its source")

sys.addaudithook(refuse)
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`

/** Of a requirements.txt: uv builds what is editable (`-e`) despite `--no-build`, and it may stand in another file. */
export function mayBuildWithUv(requirements: string): boolean {
  return /^\s*(?:-[er]|--editable|--requirement)/m.test(requirements)
}

async function installPackages(file: string, args: readonly string[], tools: SetUpEnvironment): Promise<void> {
  try {
    await runForSetUp(file, args, tools)
  } catch (error) {
    throw refuse(`${messageOf(error).replace(PIP, 'pip')}\n${WHEELS_ONLY}`)
  }
}

const WHEELS_ONLY =
  'Only wheels are installed: building a package from its source would run its code with your rights. ' +
  'Where a package has no wheel, read its source, build one (pip wheel --wheel-dir wheels <package>), and repeat ' +
  'with PIP_FIND_LINKS=<the folder of wheels> (UV_FIND_LINKS for uv); or let a deps.sh of the skill do so, ' +
  'which is shown first.'

async function hasPip(system: string, tools: SetUpEnvironment): Promise<boolean> {
  return runForSetUp(system, ['-I', '-c', 'import venv, ensurepip'], { ...tools, onOutput: undefined }).then(
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
