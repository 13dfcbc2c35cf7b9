/** Budgets in money that cannot hold: a call of a model without a price counts nothing for them. */
import type { Config } from '../config.ts'
import type { FoundProblem } from '../config-problem.ts'
import type { ConfigFile } from '../schema/schema.ts'
import { modelKey } from './model-choice.ts'

type Priced = Pick<Config, 'prices' | 'models' | 'fallbacks' | 'embedder'>

/** A warning for each budget in money of the file, when a model that it names has no price. */
export function findUnpriced({ budgets }: Pick<ConfigFile, 'budgets'>, config: Priced): readonly FoundProblem[] {
  const unpriced = modelsOf(config).filter((model) => !config.prices.has(model))
  if (unpriced.length === 0) return []
  const limits = Object.entries(budgets.users).flatMap(([userName, { cost_per_day: cost }]) =>
    typeof cost === 'number' ? [['users', userName, 'cost_per_day']] : [],
  )
  const common = (['user_cost_per_day', 'session_cost_per_day'] as const).filter((key) => budgets[key] !== undefined)
  const text = config.prices.size === 0 ? NO_PRICES : describe(unpriced)
  return [...common.map((key) => [key]), ...limits].map((path) => ({ path: ['budgets', ...path], text }))
}

const NO_PRICES = 'has no effect as long as no model has a price in [prices]'

function describe(unpriced: readonly string[]): string {
  const sections = unpriced.map((model) => `[prices."${model}"]`).join(', ')
  return `does not count calls of models without a price; add ${sections} (input = 0 and output = 0 for one that costs nothing)`
}

/** Keys of all that the file names, each once, in the order of the roles. */
function modelsOf({ models, fallbacks, embedder }: Priced): readonly string[] {
  const named = [...Object.values(models), ...Object.values(fallbacks).flat(), ...(embedder === null ? [] : [embedder])]
  return [...new Set(named.map(modelKey))]
}
