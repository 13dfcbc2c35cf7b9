import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { renderGraphiqlPage } from './graphiql-page.ts'
import { pagePolicy } from './page-policy.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

test('only the scripts that the page holds run', () => {
  const policy = pagePolicy('<script>one()</script><p></p><script>\ntwo()\r\n</script>')
  expect(policy).toContain(`script-src ${hashOf('one()')} ${hashOf('\ntwo()\n')} 'strict-dynamic';`)
  expect(policy).toContain("default-src 'none'")
  expect(pagePolicy('<p></p>')).toContain("script-src 'none'")
})

test('GraphiQL is one script', async () => {
  const policy = pagePolicy(await renderGraphiqlPage())
  expect(policy.match(/'sha256-/g)).toHaveLength(1)
  expect(policy).not.toContain('unsafe-eval')
})
