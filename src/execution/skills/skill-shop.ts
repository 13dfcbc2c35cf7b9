/**
 * `factotum skill install|list|update|remove`: changes the folders below `<home>/skills`. For the admin at the server's
 * command line; a running server sees the change with its next scan, since folders are all there is.
 *
 * What must hold: nothing half-made is ever used or left. A new folder is put together under a name that the catalog
 * does not read, moved to its place with the marker in it, and freed of the marker last; an update that fails puts
 * the old one back; after one that is killed the next command that installs or updates does.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Progress } from '../../config/command-line/progress.ts'
import type { SkillAction, SkillChoices } from '../../config/command-line/skill-action.ts'
import { AppError } from '../../core/errors.ts'
import { randomHex } from '../../platform/random.ts'
import {
  markInstalling,
  nameSetAside,
  readSourceOf,
  recordSource,
  sweepLeftovers,
  unmarkInstalling,
} from './installation.ts'
import { explainSharedSecret, type SecretOf } from './deploy-environment.ts'
import { readDepsScript, setUpSkill } from './set-up-skill.ts'
import { scanSkills, skillsFolder, type SkillScan } from './skill-catalog.ts'
import { readSkillFolder, type InstalledSkill } from './skill-folder.ts'
import { fetchSource, folderNameFor, parseSource, type SkillSource } from './skill-source.ts'

/** The person at the terminal. */
export interface Terminal {
  print(text: string): void
  /** Asks yes or no. Null: there is no terminal to ask on. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
}

/** Whose home is changed, for whom and from where; paths are absolute. */
export interface SkillShopOptions {
  readonly home: string
  /** What a relative source is relative to. */
  readonly cwd: string
  /** Of the admin: git, pip and deps.sh run in it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly terminal: Terminal
  readonly progress: Pick<Progress, 'during'>
  /** A deploy secret by the name of its variable, to name those that are not set. */
  readonly secretOf: SecretOf
}

interface Order {
  readonly source: SkillSource
  /** The folder in `skills`. */
  readonly folderName: string
  readonly choices: SkillChoices
}

/** One command of the admin's command line. A running server need not be notified. */
export class SkillShop {
  readonly #options: SkillShopOptions

  constructor(options: SkillShopOptions) {
    this.#options = options
  }

  /** Rejects with an AppError that says what to change; then everything is as before. */
  async carryOut(action: SkillAction): Promise<void> {
    switch (action.do) {
      case 'list':
        return this.#options.terminal.print(describeSkills(scanSkills(this.#options.home)))
      case 'install':
        return this.#install(action.source, action.name, action.choices)
      case 'remove':
        return this.#remove(action.name)
      case 'update':
        return this.#update(action.name, action.choices)
    }
  }

  async #install(text: string, wanted: string | null, choices: SkillChoices): Promise<void> {
    const source = parseSource(text, this.#options.cwd)
    const folderName = folderNameFor(source, wanted)
    await this.#prepareFolder()
    if (existsSync(this.#path(folderName))) {
      throw refuse(
        `There is already a skill in ${this.#path(folderName)}. Update it with "factotum skill update ${folderName}", or choose another folder with --name.`,
      )
    }
    const { name, version } = await this.#place({ source, folderName, choices })
    this.#options.terminal.print(
      `The skill "${name}"${versionText(version)} is installed in ${this.#path(folderName)}.`,
    )
  }

  async #update(name: string | null, choices: SkillChoices): Promise<void> {
    await this.#prepareFolder()
    const { skills } = scanSkills(this.#options.home)
    const folders = name === null ? [...skills.values()].map((skill) => basename(skill.folder)) : [this.#folderOf(name)]
    const failures: string[] = []
    for (const folderName of folders) {
      try {
        const source = await readSourceOf(this.#path(folderName))
        const skill = await this.#place({ source, folderName, choices })
        this.#options.terminal.print(`The skill "${skill.name}"${versionText(skill.version)} is up to date.`)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failures.push(`${folderName}: ${error.message}`)
      }
    }
    if (failures.length > 0) throw refuse(failures.join('\n'))
    if (folders.length === 0) this.#options.terminal.print('No skills are installed.')
  }

  async #remove(name: string): Promise<void> {
    const folderName = this.#folderOf(name)
    // Out of sight first: a folder that is half deleted would be a broken skill for a moment.
    const trash = this.#hiddenPath()
    await rename(this.#path(folderName), trash)
    await rm(trash, { recursive: true, force: true })
    this.#options.terminal.print(`The skill in ${this.#path(folderName)} is removed.`)
  }

  /** The skill in its place, ready. An earlier one in this place is replaced. */
  async #place({ source, folderName, choices }: Order): Promise<InstalledSkill> {
    const { progress } = this.#options
    const stage = this.#hiddenPath()
    try {
      await progress.during(`fetching the skill ${folderName}`, () => fetchSource(source, stage, this.#options))
      const skill = this.#readStage(stage, folderName)
      const script = await this.#agreeOnDeps(skill, choices)
      await recordSource(stage, source)
      await markInstalling(stage)
      const setUp = (folder: string): Promise<void> => this.#setUp({ ...skill, folder }, script, choices)
      await this.#swapIn(stage, folderName, (folder) =>
        progress.during(`setting up ${skill.name}`, () => setUp(folder)),
      )
      return skill
    } finally {
      await rm(stage, { recursive: true, force: true })
    }
  }

  /** Throws an AppError when the folder holds no skill, or one whose name another folder has. */
  #readStage(stage: string, folderName: string): InstalledSkill {
    const content = readSkillFolder(stage, new Map())
    if (content.kind !== 'skill') {
      throw refuse(
        `This is not a skill. ${content.kind === 'broken' ? content.problem : 'It is being installed where it comes from.'}`,
      )
    }
    const { name } = content.skill
    const others = [...scanSkills(this.#options.home).skills.values()].filter(
      ({ folder }) => basename(folder) !== folderName,
    )
    const shared = explainSharedSecret(content.skill, others)
    if (shared !== null) throw refuse(`The skill "${name}" is not installed. ${shared}`)
    const other = others.find((one) => one.name === name)
    if (other === undefined) return content.skill
    throw refuse(
      `There is already a skill "${name}", in ${other.folder}. Remove it first ("factotum skill remove ${name}"), or update it instead.`,
    )
  }

  /** The script to run, after the admin has seen it and agreed; null: none. */
  async #agreeOnDeps({ name, folder }: InstalledSkill, { skipDeps, yes }: SkillChoices): Promise<string | null> {
    const script = skipDeps ? null : readDepsScript(folder)
    if (script === null) return null
    const { terminal } = this.#options
    terminal.print(
      `The skill "${name}" brings deps.sh, which runs now, with your rights and outside of any sandbox:\n\n${script.shown}\n`,
    )
    if (yes) return script.file
    if (terminal.confirm === null) {
      throw refuse(
        'There is nobody to ask whether deps.sh may run. Read it, then repeat with --yes; or skip it with --no-deps.',
      )
    }
    if (await terminal.confirm('Run it? [y/N] ')) return script.file
    throw refuse('Not installed, because deps.sh may not run. --no-deps installs without it.')
  }

  /**
   * Moves the stage to its place and finishes it there; what fails is taken away, and what was there before is put
   * back.
   */
  async #swapIn(stage: string, folderName: string, finish: (folder: string) => Promise<void>): Promise<void> {
    const place = this.#path(folderName)
    const old = existsSync(place) ? this.#path(nameSetAside(folderName)) : null
    if (old !== null) await rename(place, old)
    try {
      await rename(stage, place)
      await finish(place)
      await unmarkInstalling(place)
    } catch (error) {
      await rm(place, { recursive: true, force: true })
      if (old !== null) await rename(old, place)
      throw error
    }
    if (old !== null) await rm(old, { recursive: true, force: true })
  }

  async #setUp(skill: InstalledSkill, depsScript: string | null, choices: SkillChoices): Promise<void> {
    const { environment, terminal, secretOf } = this.#options
    const notes = await setUpSkill(skill, {
      depsScript,
      requirePrograms: !choices.skipDeps,
      secretOf,
      tools: { cwd: skill.folder, environment, onOutput: (text) => terminal.print(text.trimEnd()) },
    })
    for (const note of notes) terminal.print(note)
  }

  async #prepareFolder(): Promise<void> {
    const folder = skillsFolder(this.#options.home)
    await mkdir(folder, { recursive: true })
    // The account that sandboxed skills run as must be able to pass through.
    await chmod(folder, 0o755)
    await sweepLeftovers(folder)
  }

  /** The folder of a skill that was named by its own name or by its folder's. Throws an AppError when there is none. */
  #folderOf(name: string): string {
    const { skills, problems } = scanSkills(this.#options.home)
    const skill = skills.get(name)
    if (skill !== undefined) return basename(skill.folder)
    const folders = [
      ...[...skills.values()].map(({ folder }) => basename(folder)),
      ...problems.map(({ folder }) => folder),
    ]
    const found = folders.find((folder) => folder === name)
    if (found !== undefined) return found
    const known = [...skills.keys()].sort().join(', ')
    throw refuse(`There is no skill "${name}". ${known === '' ? 'None is installed.' : `Installed: ${known}.`}`)
  }

  #path(folderName: string): string {
    return join(skillsFolder(this.#options.home), folderName)
  }

  /** A place beside the others that the catalog does not read. */
  #hiddenPath(): string {
    return this.#path(`.${process.pid}-${randomHex(8)}`)
  }
}

function versionText(version: string | null): string {
  return version === null ? '' : ` ${version}`
}

function refuse(message: string): AppError {
  return new AppError('SKILL_REFUSED', message)
}

/** For a terminal: one line for each skill by name, then one for each folder that cannot be used. */
function describeSkills({ skills, problems }: SkillScan): string {
  if (skills.size === 0 && problems.length === 0) {
    return 'No skills are installed. "factotum skill install <git URL or folder>" installs one.'
  }
  const rows = [...skills.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version, summary, folder }) => {
      const where = basename(folder) === name ? '' : ` (in ${basename(folder)})`
      return `${name}${version === null ? '' : ` ${version}`}${where}: ${summary}`
    })
  const broken = problems.map(({ folder, message }) => `${folder}: cannot be used. ${message}`)
  return [...rows, ...broken].join('\n')
}
