import { expect, test } from 'vitest'
import { maskUrl } from './mask-url.ts'

test.each([
  ['https://hooks.example/services/T0/B0/secret', 'https://hooks.example/…'],
  ['https://hooks.example/?key=secret', 'https://hooks.example/…'],
  ['https://hooks.example:8443/', 'https://hooks.example:8443'],
  ['not a url: secret', '…'],
])('%s is shown as %s', (url, shown) => expect(maskUrl(url)).toBe(shown))
