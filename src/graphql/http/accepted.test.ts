import { expect, test } from 'vitest'
import { acceptedOf } from './accepted.ts'

test.each([
  [null, true, false],
  ['', true, false],
  ['*/*', true, false],
  ['application/*', true, false],
  ['application/graphql-response+json, application/json;q=0.9', true, false],
  ['APPLICATION/JSON; charset=utf-8', true, false],
  ['text/event-stream', false, true],
  ['application/json, text/event-stream', true, true],
  ['text/*', false, false],
  ['multipart/mixed', false, false],
  ['image/png', false, false],
  [';;,,q=', false, false],
])('%s', (accept, json, events) => {
  expect(acceptedOf(accept)).toEqual({ json, events })
})
