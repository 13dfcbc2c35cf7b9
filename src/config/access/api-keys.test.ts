import { expect, test } from 'vitest'
import { findMissingKeys } from './api-keys.ts'
import { parseConfig } from '../parse-config.ts'

test('keys that nobody set are listed by provider and variable', () => {
  const parsed = parseConfig(
    `
[tokens.cli]
token = "x"
kind = "connector"
[users.marco]
role = "admin"
[providers.one]
base_url = "https://one.example/v1"
api_key_env = "HAVE"
[providers.two]
base_url = "https://two.example/v1"
api_key_env = "MISSING"
[providers.local]
base_url = "http://127.0.0.1:1/v1"
[models]
planner = "m"
`,
    { production: false },
  )
  expect(parsed.kind).toBe('valid')
  if (parsed.kind !== 'valid') return
  const apiKey = (name: string): string | null => (name === 'HAVE' ? '1' : null)
  expect(findMissingKeys(parsed.config, { apiKey })).toEqual(['two: MISSING'])
})
