/** What `factotum skill list` prints. */
import { basename } from 'node:path'
import type { SkillScan } from './skill-catalog.ts'

/** For a terminal: one line for each skill by name, then one for each folder that cannot be used. */
export function describeSkills({ skills, problems }: SkillScan): string {
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
