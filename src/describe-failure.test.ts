import { expect, test } from 'vitest'
import { describeFailure } from './describe-failure.ts'

test('a PostgreSQL whose connections are all in use is called so, and no outage that passes', () => {
  const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' })
  const said = describeFailure(full, { isVerbose: false })
  expect(said).toMatch(/no connection left .*too many clients.*max_connections.*DATABASE_CONNECTIONS/)
  expect(said).not.toContain('try again shortly')
})
