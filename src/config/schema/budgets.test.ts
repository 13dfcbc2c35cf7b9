import { describe, expect, test } from 'vitest'
import { isLimited, userBudget } from './budgets.ts'
import { parseConfig, type ParsedConfig } from '../parse-config.ts'

const PEOPLE = `
[tokens.cli]
token = "a-token-for-the-test"
kind = "user"
user = "ada"
[users.ada]
role = "admin"
[users.ben]
role = "admin"
`
const PRICES = `
[providers.local]
base_url = "http://127.0.0.1:1/v1"
[models]
planner = "small"
[prices.small]
input = 1
output = 2
`

function parse(toml: string): ParsedConfig {
  return parseConfig(`${PEOPLE}${toml}`, { production: false })
}

function accept(toml: string): Extract<ParsedConfig, { kind: 'valid' }> {
  const parsed = parse(toml)
  if (parsed.kind !== 'valid') throw new Error(JSON.stringify(parsed.problems))
  return parsed
}

test('without [budgets] nobody has one', () => {
  const { config, warnings } = accept('')
  expect(isLimited(userBudget(config, 'ada'))).toBe(false)
  expect(isLimited(config.budgets.session)).toBe(false)
  expect(warnings.map(({ path }) => path[0])).toEqual(['tokens'])
})

test("a user's own budget goes before that of all, figure by figure", () => {
  const { config } = accept(
    `${PRICES}[budgets]\nuser_tokens_per_day = 100\nuser_cost_per_day = 1.5\nsession_tokens_per_day = 7\n` +
      '[budgets.users.ben]\ntokens_per_day = "unlimited"\n',
  )
  expect(userBudget(config, 'ada')).toEqual({ tokensPerDay: 100, costPerDay: 1.5 })
  expect(userBudget(config, 'ben')).toEqual({ tokensPerDay: null, costPerDay: 1.5 })
  expect(config.budgets.session).toEqual({ tokensPerDay: 7, costPerDay: null })
})

test.each([
  ['user_tokens_per_day = -1', 'must be a whole number of tokens, 0 or more; it is -1'],
  ['user_tokens_per_day = 1.5', 'must be a whole number of tokens, 0 or more; it is 1.5'],
  ['session_cost_per_day = "5"', 'must be a number, 0 or more, in the currency of [prices]; it is "5"'],
  ['[budgets.users.ben]\ntokens_per_day = "none"', '0 or more, or "unlimited"; it is "none"'],
  ['user_token_per_day = 1', 'did you mean "user_tokens_per_day"?'],
])('%s is refused', (line, saying) => {
  const parsed = parse(`[budgets]\n${line}\n`)
  expect(parsed.kind === 'invalid' && parsed.problems.map(({ text }) => text).join('\n')).toContain(saying)
})

test.each([
  ['[budgets]\nuser_cost_per_day = 1', 'has no effect as long as no model has a price in [prices]'],
  ['[budgets.users.zoe]\ntokens_per_day = 1', 'has no effect: there is no user of this name in [users]'],
])('%s is warned of: it can never be used up', (toml, warning) => {
  expect(accept(toml).warnings.map(({ text }) => text)).toContain(warning)
})

describe('a budget in money does not count models without a price', () => {
  const warningsOf = (toml: string): string[] =>
    accept(
      `[providers.p]\nbase_url = "https://p.example/v1"\n[models]\nplanner = ["p:one", "p:two"]\nembedder = "p:e"\n${toml}`,
    )
      .warnings.filter(({ path }) => path[0] === 'budgets')
      .map(({ path, text }) => `${path.join('.')} ${text}`)
  const price = (model: string): string => `[prices."${model}"]\ninput = 0\noutput = 0\n`
  const MONEY = '[budgets]\nuser_cost_per_day = 1\nsession_cost_per_day = 2\n[budgets.users.ben]\ncost_per_day = 3\n'
  const says = (sections: string): string =>
    `does not count calls of models without a price; add ${sections} (input = 0 and output = 0 for one that costs nothing)`

  test('each of them says which to add', () => {
    const text = says('[prices."p:two"], [prices."p:e"]')
    expect(warningsOf(`${price('p:one')}${MONEY}`)).toEqual([
      `budgets.user_cost_per_day ${text}`,
      `budgets.session_cost_per_day ${text}`,
      `budgets.users.ben.cost_per_day ${text}`,
    ])
  })

  test('nothing is said when all have one, or no budget is in money', () => {
    expect(warningsOf(`${price('p:one')}${price('p:two')}${price('p:e')}${MONEY}`)).toEqual([])
    const tokens = '[budgets]\nuser_tokens_per_day = 9\n[budgets.users.ben]\ncost_per_day = "unlimited"\n'
    expect(warningsOf(`${price('p:one')}${tokens}`)).toEqual([])
  })
})
