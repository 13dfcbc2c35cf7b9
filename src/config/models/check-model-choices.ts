/** The rules of providers, models and prices that need more than one value: what is named must be configured. */
import { didYouMean } from '../../platform/closest.ts'
import type { FoundProblem } from '../config-problem.ts'
import { isRuntime, modelKey, parseModel, REHEARSAL } from './model-choice.ts'
import type { Sections } from '../sections.ts'

export function checkModelChoices(sections: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const first = firstProvider(sections)
  if (sections.providers.has(REHEARSAL.provider)) {
    const text = 'is the name of the built-in rehearsal model; choose another'
    problems.push({ path: ['providers', REHEARSAL.provider], text })
  }
  if (first !== null && sections.models['planner'] === undefined) {
    const text = `is missing; with a provider configured it must say which model plans, such as "${first}:some/model"`
    problems.push({ path: ['models', 'planner'], text })
  }
  for (const [role, value] of Object.entries(sections.models)) {
    const listed: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const text of listed)
      if (typeof text === 'string') problems.push(...checkModel(text, ['models', role], sections))
  }
  for (const text of sections.prices.keys()) problems.push(...checkModel(text, ['prices', text], sections))
  return [...problems, ...checkPricesDiffer(sections)]
}

function checkModel(text: string, path: readonly string[], sections: Sections): readonly FoundProblem[] {
  const first = firstProvider(sections)
  const chosen = parseModel(text, [])
  if (isRuntime(chosen.provider) && chosen.model !== '') return []
  if (first === null) {
    return [{ path, text: 'names a model, but there is no provider; add a section [providers.<name>] or remove this' }]
  }
  const names = [...sections.providers.keys()]
  const { provider, model } = parseModel(text, names)
  if (!sections.providers.has(provider)) {
    const whole = `if "${text}" is the whole name of a model, write "${first}:${text}"`
    return [{ path, text: `there is no provider "${provider}"${didYouMean(provider, names)}; ${whole}` }]
  }
  if (model !== '') return []
  return [{ path, text: `names no model; it must be "provider:model", such as "${first}:some/model"` }]
}

/** "model" and "first-provider:model" are the same model, which can have only one price. */
function checkPricesDiffer({ providers, prices }: Sections): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  const firstWith = new Map<string, string>()
  for (const text of prices.keys()) {
    const key = modelKey(parseModel(text, [...providers.keys()]))
    const first = firstWith.get(key)
    if (first === undefined) firstWith.set(key, text)
    else problems.push({ path: ['prices', text], text: `is the same model as prices."${first}"; keep one of them` })
  }
  return problems
}

function firstProvider({ providers }: Sections): string | null {
  return providers.keys().next().value ?? null
}
