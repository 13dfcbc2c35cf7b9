/** Where a skill is installed from: a git repository or a folder, and the name that its folder gets from that. */
import { existsSync, statSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { runForSetUp, type SetUpEnvironment } from './run-for-set-up.ts'

/** Kept in the skill's folder for `update`, so it must hold no password; `parseSource` sees to that. */
export type SkillSource =
  | { readonly kind: 'git'; readonly url: string }
  /** Absolute. */
  | { readonly kind: 'folder'; readonly path: string }

const FOLDER_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/
/** `user@host:path`, as ssh has it. */
const SSH_ADDRESS = /^[\w.-]+@([\w.-]+):(?!\/\/)(.+)$/
/** Not http and git: a man in the middle could put another program in. */
const PROTOCOLS = new Set(['https:', 'ssh:', 'file:'])
/** Not copied: made anew where the skill is installed, or of no use there. */
const LEFT_BEHIND = new Set(['.git', '.venv', '__pycache__'])

/** Throws an AppError that says what a source may be. `cwd`: what a relative folder is relative to. */
export function parseSource(text: string, cwd: string): SkillSource {
  if (SSH_ADDRESS.test(text)) return { kind: 'git', url: text }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'git', url: checkUrl(text) }
  const path = resolve(cwd, text)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refuse(`${text} is neither a folder nor a git URL (https://…, ssh://…, git@host:path or file://…).`)
  }
  const isBareRepository = existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'))
  return isBareRepository ? { kind: 'git', url: path } : { kind: 'folder', path }
}

function checkUrl(text: string): string {
  if (!URL.canParse(text)) throw refuse(`${text} is not a URL.`)
  const { protocol, password, username } = new URL(text)
  if (!PROTOCOLS.has(protocol)) throw refuse(`A skill is fetched with https, ssh or file, not with ${protocol}//.`)
  if (password !== '' || (protocol === 'https:' && username !== '')) {
    throw refuse(
      'The URL holds a name or password, which would be kept with the skill. Use a git credential helper, or ssh.',
    )
  }
  return text
}

/**
 * The folder for a source: of a URL `github-com_acme_search`, the same for https and ssh; of a folder its name.
 * `wanted`: what the admin asked for instead. Throws an AppError when it is no name for a folder.
 */
export function folderNameFor(source: SkillSource, wanted: string | null): string {
  const name = wanted ?? (source.kind === 'folder' ? clean(basename(source.path)) : nameOfUrl(source.url))
  if (FOLDER_NAME.test(name)) return name
  throw refuse(
    `"${name}" cannot name a skill's folder: it must be 1 to 100 lower-case letters, digits, "_" and "-". Choose one with --name.`,
  )
}

function nameOfUrl(url: string): string {
  const ssh = SSH_ADDRESS.exec(url)
  const parsed = URL.canParse(url) ? new URL(url) : null
  const host = ssh?.[1] ?? parsed?.hostname ?? ''
  const path = ssh?.[2] ?? parsed?.pathname ?? basename(url)
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
  return clean([host.replaceAll('.', '-'), ...parts].filter((part) => part !== '').join('_'))
}

function clean(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 100)
}

/**
 * Brings the source's files to `target`, which does not exist yet. Rejects with an AppError that says why it could not.
 */
export async function fetchSource(source: SkillSource, target: string, tools: SetUpEnvironment): Promise<void> {
  if (source.kind === 'folder') {
    const filter = (path: string): boolean => path === source.path || !LEFT_BEHIND.has(basename(path))
    return cp(source.path, target, { recursive: true, verbatimSymlinks: true, filter })
  }
  // Nothing that a URL could smuggle in: no options, no other protocols, no prompts, no code of the repository.
  const environment = { ...tools.environment, GIT_ALLOW_PROTOCOL: 'https:ssh:file', GIT_TERMINAL_PROMPT: '0' }
  const args = ['clone', '--quiet', '--depth', '1', '--', source.url, target]
  await runForSetUp('git', args, { ...tools, environment })
}

function refuse(message: string): AppError {
  return new AppError('SKILL_REFUSED', message)
}
