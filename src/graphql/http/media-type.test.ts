import { expect, test } from 'vitest'
import { negotiate } from './media-type.ts'

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
  ['application/json;q=0.5, application/graphql-response+json;q=0.9', 'application/graphql-response+json'],
  ['APPLICATION/JSON; charset=utf-8', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html'],
  ['application/json;q=0', null],
  ['image/png', null],
  [';;,,q=', null],
])('%s means %s', (accept, type) => {
  expect(negotiate(accept)).toBe(type)
})
