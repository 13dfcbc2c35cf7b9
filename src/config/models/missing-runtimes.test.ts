import { expect, test } from 'vitest'
import { describeProblem } from '../config-problem.ts'
import { missingRuntimes, rolesOfRuntime, type RuntimesOfPlugin } from './missing-runtimes.ts'
import { parseConfig } from '../parse-config.ts'

const known: readonly RuntimesOfPlugin[] = [
  { plugin: 'toys', enabled: true, runtimes: ['agent', 'echo'] },
  { plugin: 'off', enabled: false, runtimes: ['agent'] },
  { plugin: 'broken', enabled: true, runtimes: null },
]

function configOf(models: string) {
  const toml = `
[users.ada]
role = "admin"
[tokens.ada]
kind = "user"
user = "ada"
token = "a-token-of-ada"
[providers.router]
base_url = "https://router.example/api/v1"
[models]
${models}`
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.map(describeProblem).join('\n'))
  return parsed.config
}

const missingAs = (says: string, fix: string): object[] => [
  { roles: ['messenger'], says: expect.stringContaining(says), fix: expect.stringContaining(fix) },
]

test.each<[model: string, missing: object[]]>([
  // Names of models may have "/" and ":" of their own: behind a provider, or without a colon.
  ['router:openai/gpt-x', []],
  ['router:meta-llama/llama:free', []],
  ['openai/gpt-x', []],
  ['toys/agent:one', []],
  ['toys/agent:meta-llama/llama:free', []],
  ['broken/agent:one', []],
  ['meta-llama/llama:free', missingAs('no plugin "meta-llama"', '"router:meta-llama/llama:free"')],
  ['tois/agent:one', missingAs('no plugin "tois" (did you mean "toys"?)', 'install the plugin')],
  ['toys/agnt:one', missingAs('has no runtime "agnt" (did you mean "agent"?)', 'agent, echo')],
  ['off/agent:one', missingAs('"off" is disabled', 'Enable it')],
])('%s', (model, expected) => {
  const missing = missingRuntimes(configOf(`planner = "router:m"\nmessenger = ["${model}", "router:m"]`), known)
  expect(missing.map(({ roles, says, fix }) => ({ roles, says, fix }))).toEqual(expected)
})

test('one is named for each role that it was to play, also as the planner that others take over', () => {
  const config = configOf('planner = ["router:m", "tois/agent:one"]\nreviewer = "router:m"')
  const [missing] = missingRuntimes(config, known)
  expect(missing?.roles).toContain('planner')
  expect(missing?.roles).toContain('messenger')
  expect(missing?.roles).not.toContain('reviewer')
  expect(rolesOfRuntime(config, 'tois/agent')).toEqual(missing?.roles)
  expect(rolesOfRuntime(config, 'toys/agent')).toEqual([])
})
