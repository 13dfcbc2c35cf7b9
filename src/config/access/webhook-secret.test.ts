import { expect, test } from 'vitest'
import { whyUnsigned } from './webhook-secret.ts'

test.each([
  [{ name: 'chat', declared: true, webhookSecretEnvs: [] }, 'an admin can set webhook_secret in [tokens.chat]'],
  [{ name: 'chat', declared: true, webhookSecretEnvs: ['CHAT'] }, 'the variable that its webhook_secret_env names'],
  // Made by createToken: there is no place for a secret.
  [{ name: 'chat', declared: false, webhookSecretEnvs: [] }, 'only a token of config.toml can have one'],
])('a token that cannot sign: %o', (token, reason) => {
  expect(whyUnsigned(token)).toContain(reason)
})
