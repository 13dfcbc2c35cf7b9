/** What a line of the log calls its error is the whole reason: the message alone is written for users. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const MESSAGE_ALONE = /\.(?:debug|info|warn|error|fatal)\(\s*\{[^}]*\berror: messageOf\(/
/** Its error has what is behind it in its message already. */
const SAYS_ALL = 'src/store/connection/reach-database.ts'

test('lines of the log name what is behind an error', () => {
  const sources = execFileSync('git', ['ls-files', 'src/*.ts'], { encoding: 'utf8' }).trim().split('\n')
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.filter((path) => MESSAGE_ALONE.test(readFileSync(path, 'utf8')))).toEqual([SAYS_ALL])
})
