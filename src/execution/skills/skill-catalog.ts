/**
 * The skills that are installed, as the folders of `<home>/skills` show them at the moment of asking: a skill is there
 * as soon as its folder is, without a restart. `app.ts` makes the one instance; turns ask before each plan and each
 * task, the door for the query `skills`.
 *
 * What must hold: a broken folder hurts no other. Asking is cheap: folders are listed, and only manifests that have
 * changed are read.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import { explainSharedSecret } from './deploy-environment.ts'
import { readSkillFolder, type InstalledSkill, type ManifestCache } from './skill-folder.ts'

/** A folder that holds no usable skill, and why. */
export interface SkillProblem {
  /** Its name in `<home>/skills`. */
  readonly folder: string
  readonly message: string
}

/** What the folder of skills held at one moment. */
export interface SkillScan {
  /** By name. */
  readonly skills: ReadonlyMap<string, InstalledSkill>
  readonly problems: readonly SkillProblem[]
}

/** What the turn and the door see of it. */
export interface Skills {
  scan(): SkillScan
}

/** Each skill is one folder in it; it may be absent. */
export function skillsFolder(home: string): string {
  return join(home, 'skills')
}

/**
 * Remembers manifests by path, and which problems it has logged; nothing else, so each scan shows the folders as they
 * are.
 */
export class SkillCatalog implements Skills {
  readonly #home: string
  readonly #logger: Logger
  readonly #manifests: ManifestCache = new Map()
  /** What was last logged of each broken folder. */
  #logged = new Map<string, string>()

  constructor({ home, logger }: { readonly home: string; readonly logger: Logger }) {
    this.#home = home
    this.#logger = logger
  }

  /** Never throws: what cannot be read is a problem of the scan. */
  scan(): SkillScan {
    const scan = scanSkills(this.#home, this.#manifests)
    this.#log(scan.problems)
    return scan
  }

  /** Once for each problem, and again only when it has changed. */
  #log(problems: readonly SkillProblem[]): void {
    for (const { folder, message } of problems) {
      if (this.#logged.get(folder) !== message)
        this.#logger.warn({ folder, problem: message }, 'a skill cannot be used')
    }
    this.#logged = new Map(problems.map(({ folder, message }) => [folder, message]))
  }
}

/**
 * Without the log, for the command line. Folders in the order of their names: the first of two skills of one name wins.
 */
export function scanSkills(home: string, cache: ManifestCache = new Map()): SkillScan {
  const skills = new Map<string, InstalledSkill>()
  const problems: SkillProblem[] = []
  for (const folder of listFolders(skillsFolder(home), problems)) {
    const content = readSkillFolder(join(skillsFolder(home), folder), cache)
    if (content.kind === 'none') continue
    const first = content.kind === 'skill' ? skills.get(content.skill.name) : undefined
    if (content.kind === 'broken') problems.push({ folder, message: content.problem })
    else if (first === undefined) skills.set(content.skill.name, content.skill)
    else problems.push({ folder, message: describeDuplicate(first) })
  }
  // Whose the secret is only the admin knows, so none of them is given it.
  const read = [...skills.values()]
  for (const skill of read) {
    const message = explainSharedSecret(skill, read)
    if (message === null) continue
    skills.delete(skill.name)
    problems.push({ folder: basename(skill.folder), message })
  }
  return { skills, problems }
}

function describeDuplicate({ name, folder }: InstalledSkill): string {
  return `It holds another skill "${name}"; the one in ${basename(folder)} is used. Remove one of them, or change its kiso.name.`
}

/**
 * Names that begin with a dot are not skills (an editor's, git's, those of an installation). No folder at all: no
 * skills.
 */
function listFolders(path: string, problems: SkillProblem[]): string[] {
  try {
    // Asked first: turns come here several times, most homes have no skills, and an error takes longer than the check.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return []
    return readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch (error) {
    problems.push({ folder: '.', message: `The folder of skills cannot be read: ${messageOf(error)}.` })
    return []
  }
}
