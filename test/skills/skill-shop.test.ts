/**
 * `factotum skill …` with real git repositories, scripts and Pythons: what is installed works, what fails leaves
 * nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/config/command-line/command-line.ts'
import { Progress } from '../../src/config/command-line/progress.ts'
import { scanSkills } from '../../src/execution/skills/skill-catalog.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { SkillShop, type Terminal } from '../../src/execution/skills/skill-shop.ts'
import { addSkill, type SkillFiles } from '../harness/skills.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const GIT = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'init.defaultBranch=main']

let root: string
let home: string
let printed: string
/** What the admin answers; null: nobody is there. */
let answer: boolean | null
let questions: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'factotum-shop-'))
  chmodSync(root, 0o755)
  home = join(root, 'home')
  mkdirSync(home)
  printed = ''
  answer = null
  questions = []
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** `factotum skill <words>`, with the folder of the test as working directory. */
async function skill(...words: readonly string[]): Promise<void> {
  const parsed = parseCommandLine(['skill', ...words])
  if (parsed.kind !== 'skill') throw new Error(JSON.stringify(parsed))
  const confirm: Terminal['confirm'] = async (question) => {
    questions.push(question)
    return answer === true
  }
  const terminal = { print: (text: string) => void (printed += `${text}\n`), confirm: answer === null ? null : confirm }
  // No package comes from elsewhere.
  const environment = { PATH: process.env['PATH'], HOME: root, PIP_NO_INDEX: '1' }
  const secretOf = (variable: string): string | null => (variable === 'KISO_SKILL_X_KNOWN' ? 'set' : null)
  const progress = new Progress({ clock: systemClock, print: () => undefined })
  await new SkillShop({ home, cwd: root, environment, terminal, progress, secretOf }).carryOut(parsed.action)
}

const inSkills = (...parts: string[]): string => join(home, 'skills', ...parts)
/** Everything in the folder of skills, hidden leftovers too. */
const left = (): string[] => (existsSync(inSkills()) ? readdirSync(inSkills()).sort() : [])
const installed = (): string[] => [...scanSkills(home).skills.keys()]

/** A skill somewhere else, to be installed from there. */
function source(name: string, { manifest = '', files = {} }: Partial<SkillFiles> = {}): string {
  return addSkill(join(root, 'from'), name, { manifest, files: { 'run.py': 'print(1)', ...files } })
}

/** The source's files as a commit of a bare repository. */
function commit(folder: string, repository: string): string {
  const git = (...args: string[]): void => void execFileSync('git', [...GIT, ...args], { cwd: folder, stdio: 'pipe' })
  if (!existsSync(repository)) execFileSync('git', [...GIT, 'init', '--quiet', '--bare', repository])
  if (!existsSync(join(folder, '.git'))) git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '-m', 'change')
  git('push', '--quiet', repository, 'HEAD:main')
  return repository
}

describe('from a git repository', () => {
  test('a skill is installed, listed, updated and removed', async () => {
    const folder = source('search', { files: { 'lib/data.txt': 'one' } })
    const repository = commit(folder, join(root, 'Skill-Search.git'))
    await skill('install', `file://${repository}`, '--name', 'my-search')
    expect(installed()).toEqual(['search'])
    expect(left()).toEqual(['my-search'])
    expect(readFileSync(inSkills('my-search/lib/data.txt'), 'utf8')).toBe('one')

    await skill('list')
    expect(printed).toContain('search (in my-search): For a test.')

    writeFileSync(join(folder, 'lib/data.txt'), 'two')
    commit(folder, repository)
    await skill('update', 'search')
    expect(readFileSync(inSkills('my-search/lib/data.txt'), 'utf8')).toBe('two')

    await skill('remove', 'search')
    expect(left()).toEqual([])
  })

  test('an update that fails leaves the skill as it was', async () => {
    const folder = source('search')
    const repository = commit(folder, join(root, 'search.git'))
    await skill('install', repository)
    writeFileSync(join(folder, 'kiso.toml'), 'broken')
    commit(folder, repository)
    await expect(skill('update', '--all')).rejects.toThrow('search: This is not a skill. kiso.toml: is not valid TOML')
    writeFileSync(join(folder, 'kiso.toml'), readFileSync(inSkills('search/kiso.toml')))
    writeFileSync(join(folder, 'deps.sh'), 'exit 1')
    commit(folder, repository)
    await expect(skill('update', 'search', '--yes')).rejects.toThrow('deps.sh" failed')
    expect(left()).toEqual(['search'])
    expect(installed()).toEqual(['search'])
  })

  test('one that is not there is named with the reason of git, and nothing is left', async () => {
    await expect(skill('install', `file://${root}/none.git`)).rejects.toThrow(/git clone .+ failed \(exit code 128\)/)
    expect(left()).toEqual([])
  })
})

describe('from a folder', () => {
  test('its files are copied, except what belongs to the place where it was', async () => {
    const folder = source('x', {
      files: { '.venv/bin/python': '', '.git/config': '', 'a/__pycache__/b.pyc': '', 'a/b.py': '' },
    })
    await skill('install', folder)
    expect(readdirSync(inSkills('x')).sort()).toEqual(['.factotum-source.json', 'a', 'kiso.toml', 'run.py'])
    expect(readdirSync(inSkills('x/a'))).toEqual(['b.py'])
  })

  test('everybody may read it, whatever it was before', async () => {
    const folder = source('x', { manifest: 'run = "bin/tool"', files: { 'bin/tool': '' } })
    execFileSync('chmod', ['-R', 'go-rwx', folder])
    await skill('install', folder)
    const modeOf = (path: string): number => statSync(inSkills(path)).mode & 0o777
    expect([modeOf('.'), modeOf('x'), modeOf('x/kiso.toml'), modeOf('x/bin/tool')]).toEqual([
      0o755, 0o755, 0o644, 0o755,
    ])
  })

  test('what is no skill is refused with the reason', async () => {
    mkdirSync(join(root, 'empty'))
    await expect(skill('install', 'empty')).rejects.toThrow('This is not a skill. It has no manifest')
    await expect(skill('install', 'nowhere')).rejects.toThrow('nowhere is neither a folder nor a git URL')
    expect(left()).toEqual([])
  })

  test('a name or a place that is taken is refused', async () => {
    await skill('install', source('x'))
    await expect(skill('install', source('x'))).rejects.toThrow('factotum skill update x')
    await expect(skill('install', source('x'), '--name', 'y')).rejects.toThrow('There is already a skill "x"')
    await expect(skill('install', source('z'), '--name', '../z')).rejects.toThrow("cannot name a skill's folder")
    expect(left()).toEqual(['x'])
  })

  test('a skill that would be given the secret of another is refused', async () => {
    await skill('install', source('web-search', { manifest: '[kiso.skill.env]\nkey = {}' }))
    const greedy = source('web', { manifest: '[kiso.skill.env]\nsearch_key = {}' })
    await expect(skill('install', greedy)).rejects.toThrow('both read FACTOTUM_SKILL_WEB_SEARCH_KEY')
    expect(installed()).toEqual(['web-search'])
  })

  test('a skill of unknown origin is not updated', async () => {
    addSkill(home, 'found', { files: { 'run.py': '' } })
    await expect(skill('update', 'found')).rejects.toThrow('Nobody knows where this skill came from')
    await expect(skill('update', 'nothing')).rejects.toThrow('There is no skill "nothing". Installed: found.')
    await expect(skill('remove', 'nothing')).rejects.toThrow('Installed: found.')
  })
})

describe('deps.sh', () => {
  const withDeps = (script: string): string => source('x', { files: { 'deps.sh': script } })

  test('is shown and asked about, and runs in the folder of the skill', async () => {
    answer = true
    await skill('install', withDeps('pwd > where; echo \u001b[8mhidden\u202e'))
    expect(questions).toEqual(['Run it? [y/N] '])
    expect(printed).toContain('pwd > where; echo \\u{1b}[8mhidden\\u{202e}')
    expect(readFileSync(inSkills('x/where'), 'utf8')).toBe(`${inSkills('x')}\n`)
    expect(existsSync(inSkills('x/.installing'))).toBe(false)
  })

  test.each([
    ['the answer is no', false, [], 'may not run'],
    ['there is nobody to ask', null, [], '--yes'],
    ['it fails', null, ['--yes'], 'failed (exit code 3).\nno network'],
  ])('when %s, nothing is installed and nothing left', async (...[, given, flags, reason]) => {
    answer = given
    await expect(skill('install', withDeps('echo no network >&2; exit 3'), ...flags)).rejects.toThrow(reason)
    expect(left()).toEqual([])
  })

  test('is not run with --no-deps, and not asked about with --yes', async () => {
    await skill('install', withDeps('touch ran'), '--no-deps')
    expect(existsSync(inSkills('x/ran'))).toBe(false)
    await skill('update', 'x', '--yes')
    expect(existsSync(inSkills('x/ran'))).toBe(true)
  })
})

describe('what a skill needs', () => {
  test('programs that are missing fail the installation, or are noted with --no-deps', async () => {
    const folder = source('x', { manifest: '[kiso.deps]\nbin = ["sh", "no-such-program"]' })
    await expect(skill('install', folder)).rejects.toThrow('not installed in /usr: no-such-program')
    expect(left()).toEqual([])
    await skill('install', folder, '--no-deps')
    expect(printed).toContain('no-such-program')
  })

  test('secrets that are not set are named', async () => {
    const manifest = '[kiso.skill.env]\nknown = { required = true }\nunknown-key = { required = true }\nother = {}'
    await skill('install', source('x', { manifest }))
    expect(printed).toContain('not set: FACTOTUM_SKILL_X_UNKNOWN_KEY or KISO_SKILL_X_UNKNOWN_KEY. ')
  })

  test('a Python of its own is made for a project, and a version that is not there refused', async () => {
    const project = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.8"\ndependencies = []\n'
    await skill('install', source('x', { files: { 'pyproject.toml': project } }))
    const python = inSkills('x/.venv/bin/python')
    const prefix = execFileSync(python, ['-c', 'import sys; print(sys.prefix)'], { encoding: 'utf8' })
    expect(prefix).toBe(`${inSkills('x/.venv')}\n`)
    expect(scanSkills(home).skills.get('x')?.start).toMatchObject({ kind: 'PYTHON', hasVenv: true })

    const old = project.replace('>=3.8', '>=9.1')
    await expect(skill('install', source('y', { files: { 'pyproject.toml': old } }))).rejects.toThrow(
      'needs Python >=9.1',
    )
    const bad = '[project]\ndependencies = ["--index-url=http://evil"]'
    await expect(skill('install', source('y', { files: { 'pyproject.toml': bad } }))).rejects.toThrow('pyproject.toml')
    expect(left()).toEqual(['x'])
  })
})

describe('what a skill brings runs nothing with the rights of the admin unless deps.sh was agreed to', () => {
  const ran = (): string => join(root, 'ran')
  /** Python that leaves a trace of itself. */
  const trace = (): string => `open(${JSON.stringify(ran())}, "w")\n`

  /** A package that needs nothing to be built but code of its own. */
  const builds = (folder: string): Record<string, string> => ({
    [`${folder}/pyproject.toml`]:
      '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "evil"\nversion = "1"\n',
    [`${folder}/PKG-INFO`]: 'Metadata-Version: 2.1\nName: evil\nVersion: 1\n',
    [`${folder}/backend.py`]: trace(),
  })

  test('a package is not built, though requirements.txt takes the option back', async () => {
    const requirements = '--no-binary :all:\n--no-index\n--find-links .\nevil'
    const folder = source('x', { files: { 'requirements.txt': requirements, ...builds('evil-1') } })
    execFileSync('tar', ['-czf', 'evil-1.tar.gz', 'evil-1'], { cwd: folder })
    await expect(skill('install', folder)).rejects.toThrow('Only wheels are installed')
    expect(existsSync(ran())).toBe(false)
    expect(left()).toEqual([])
  })

  test('nor is one that is a folder of the repository, nor a Python run that it brings', async () => {
    const files = {
      'requirements.txt': './evil-1',
      ...builds('evil-1'),
      '.venv/bin/python': `#!/bin/sh\n: > ${ran()}\n`,
    }
    const folder = source('x', { files })
    chmodSync(join(folder, '.venv/bin/python'), 0o755)
    await expect(skill('install', commit(folder, join(root, 'x.git')))).rejects.toThrow('Only wheels are installed')
    expect(existsSync(ran())).toBe(false)
  })

  test('a wheel is installed, and no module beside it imported', async () => {
    const wheel = `import zipfile
with zipfile.ZipFile("fine-1-py3-none-any.whl", "w") as z:
    z.writestr("fine.py", "answer = 42")
    z.writestr("fine-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: fine\\nVersion: 1\\n")
    z.writestr("fine-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("fine-1.dist-info/RECORD", "")`
    const modules = ['venv.py', 'ensurepip.py', 'pip.py', 'runpy.py'].map((file) => [file, trace()])
    const requirements = '--no-index\n--find-links .\nfine'
    const folder = source('x', { files: { 'requirements.txt': requirements } })
    execFileSync('python3', ['-c', wheel], { cwd: folder })
    for (const [file = '', text = ''] of modules) writeFileSync(join(folder, file), text)
    await skill('install', folder)
    const python = inSkills('x/.venv/bin/python')
    expect(execFileSync(python, ['-I', '-c', 'import fine; print(fine.answer)'], { encoding: 'utf8' })).toBe('42\n')
    expect(existsSync(ran())).toBe(false)
  })
})

test('what a killed installation has left is cleared away by the next', async () => {
  const dead = 2 ** 22 - 1
  mkdirSync(inSkills(`.${dead}-0123456789abcdef`), { recursive: true })
  addSkill(home, 'half', { files: { 'run.py': '', '.installing': `${dead}\n` } })
  addSkill(home, 'busy', { files: { 'run.py': '', '.installing': `${process.pid}\n` } })
  addSkill(home, 'theirs', { files: { 'run.py': '', '.installing': '' } })
  await skill('install', source('x'))
  expect(left()).toEqual(['busy', 'theirs', 'x'])
})

test('a skill whose update is killed is there again', async () => {
  const folder = source('x', { files: { 'data.txt': 'old' } })
  await skill('install', folder)
  writeFileSync(join(folder, 'data.txt'), 'new')
  writeFileSync(join(folder, 'deps.sh'), 'kill -KILL $PPID')
  const { signal } = spawnSync(process.execPath, [MAIN, 'skill', 'update', 'x', '--yes', '--home', home], { cwd: root })
  expect(signal).toBe('SIGKILL')
  await skill('install', source('y'))
  expect(left()).toEqual(['x', 'y'])
  expect(installed()).toEqual(['x', 'y'])
  expect(readFileSync(inSkills('x/data.txt'), 'utf8')).toBe('old')
})

test('the real command works without a server, and says on stderr what is wrong', () => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [MAIN, 'skill', ...args, '--home', home], {
      encoding: 'utf8',
      stdio: 'pipe',
      cwd: root,
    })
  expect(run('install', source('x'))).toContain('The skill "x" is installed in ')
  expect(run('list')).toBe('x: For a test.\n')
  expect(() => run('remove', 'y')).toThrow('factotum: There is no skill "y". Installed: x.')
})
