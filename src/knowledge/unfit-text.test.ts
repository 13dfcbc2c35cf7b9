import { expect, test } from 'vitest'
import { unfitText } from './unfit-text.ts'

test.each([
  'The API listens on port 8080.',
  'The password of the staging database is kept in the vault under db/staging.',
  'Tokens are rotated every 90 days.',
  'The token is valid for an hour.',
  'The commit that broke the build is 4d3e4c8a9b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e.',
  'Documentation is at https://docs.example.org/start',
  `${'a'.repeat(499)}.`,
])('fit: %s', (text) => {
  expect(unfitText(text)).toBeNull()
})

test.each([
  ['', 'says nothing'],
  [' … ', 'says nothing'],
  ['Yes.', 'too short'],
  ['a'.repeat(501), 'at most 500'],
  // It is not read.
  ['.'.repeat(501), 'at most 500'],
  ['The key is [REDACTED] since May.', 'secret'],
  ['The database is at postgres://app:hunter2@db.example.org/app', 'secret'],
  ['The deploy password is hunter2x7', 'secret'],
  ['Use API_KEY=abc123def456 for staging; api key: abc123def456', 'secret'],
  ['CI uses ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'secret'],
  ['AWS access key AKIAIOSFODNN7EXAMPLE is used', 'secret'],
  ['-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjEAAAAABG5vbmU', 'secret'],
  ['Sessions use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN as bearer', 'secret'],
])('unfit: %s', (text, why) => {
  expect(unfitText(text)).toContain(why)
})
