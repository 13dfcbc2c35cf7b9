/** The rules for what describes a session: a label, the time zone of its people, its model and its instructions. */
import type { Config } from '../../config/config.ts'
import { isRuntime, parseModel } from '../../config/models/model-choice.ts'
import { timeZoneIssue } from '../../config/schema/time-zone-issue.ts'
import type { Viewer } from '../../core/identity.ts'
import type { InputIssue } from '../../core/refusal.ts'
import type { SessionInstructions } from '../../store/intake/intake-session.ts'
import { textIssues } from '../../core/text/text-rule.ts'

/** None when it is null or left out, or 1 to 1000 characters that can be stored. */
export function descriptionIssues(description: string | null | undefined): InputIssue[] {
  return textIssues(['description'], description, { min: 1, max: 1000 })
}

/** None when it is null or left out, or the name of a time zone. */
export function timeZoneIssues(timeZone: string | null | undefined): InputIssue[] {
  const issue = timeZone == null ? null : timeZoneIssue(timeZone)
  return issue === null ? [] : [{ path: ['timeZone'], message: issue }]
}

/** None when it is null or left out, or a model of a provider that is configured, or of a plugin's runtime. */
export function modelIssues({ providers }: Pick<Config, 'providers'>, model: string | null | undefined): InputIssue[] {
  if (model == null) return []
  const issues = textIssues(['model'], model, { min: 1, max: 200 })
  const names = [...providers.keys()]
  const { provider, model: name } = parseModel(model, names)
  if (issues.length > 0 || ((providers.has(provider) || isRuntime(provider)) && name !== '')) return issues
  const known = names.length === 0 ? 'none is configured' : `one of ${names.join(', ')}`
  return [{ path: ['model'], message: `must be "provider:model", with a provider of this server (${known})` }]
}

/** None when they are null or left out, or 1 to 8000 characters that can be stored. */
export function instructionsIssues(instructions: string | null | undefined): InputIssue[] {
  return textIssues(['instructions'], instructions, { min: 1, max: 8000 })
}

/** As they are stored. */
export function instructionsOf({ user }: Pick<Viewer, 'user'>, text: string | null): SessionInstructions | null {
  return text === null ? null : { text, by: user?.name ?? null }
}
