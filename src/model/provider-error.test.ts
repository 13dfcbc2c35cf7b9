import { expect, test } from 'vitest'
import type { ModelCallContext } from './model-call-context.ts'
import { toProviderError } from './provider-error.ts'

const CALL: ModelCallContext = {
  role: 'planner',
  provider: 'own',
  model: 'm',
  baseUrl: 'https://models.example/v1',
  apiKeyEnv: null,
  apiKey: null,
  wantsSchema: false,
}

/** As Node fails where the other side's certificate is refused. */
function refused(code: string): Error {
  const cause = Object.assign(new Error('certificate'), { code })
  return new TypeError('fetch failed', { cause })
}

test.each(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])('a certificate out of its time is waited for: %s', (code) => {
  const error = toProviderError(refused(code), CALL, new Date())
  expect([error.code, error.retry]).toEqual(['MODEL_UNREACHABLE', 'backoff'])
  expect(error.message).toContain(`it has to be renewed there, unless the clock of this machine is wrong (${code})`)
  expect(error.message).not.toContain('NODE_EXTRA_CA_CERTS')
})

test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'one of an unknown authority, or for another name, is for the administrator: %s',
  (code) => {
    const error = toProviderError(refused(code), CALL, new Date())
    expect(error.retry).toBe('never')
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS')
  },
)
