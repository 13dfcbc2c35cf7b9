/**
 * The skills as the planner is shown them: what each does, and its arguments. Their words are those of the skills'
 * authors.
 */
import type { SkillArgument, SkillSummary } from '../../core/plan/skill.ts'
import type { Fence } from '../fence.ts'

/** Of one description or summary. */
const MAX_WORDS_CHARS = 500

export function describeSkills(skills: readonly SkillSummary[], fence: Fence): string[] {
  if (skills.length === 0) return []
  return [`# Skills that may be used\n\n${fence.wrap('DATA_SKILLS', skills.map(describeSkill).join('\n'))}`]
}

function describeSkill({ name, summary, args, secrets }: SkillSummary): string {
  const takes = args.length === 0 ? ['  takes no arguments'] : args.map(describeArgument)
  const uses =
    secrets.length === 0 ? [] : [`  is given these secrets, if the session holds them: ${secrets.join(', ')}`]
  return [`${name}: ${bound(summary)}`, ...takes, ...uses].join('\n')
}

/** "  count (int, default 10): How many." */
function describeArgument({ name, type, required, default: preset, description }: SkillArgument): string {
  const need = required ? 'required' : preset === null ? 'optional' : `default ${bound(JSON.stringify(preset))}`
  return `  ${name} (${type}, ${need})${description === '' ? '' : `: ${bound(description)}`}`
}

function bound(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_WORDS_CHARS ? line : `${line.slice(0, MAX_WORDS_CHARS).toWellFormed()}…`
}
