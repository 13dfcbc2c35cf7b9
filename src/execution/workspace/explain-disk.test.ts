import { expect, test } from 'vitest'
import { explainDisk } from './explain-disk.ts'

const failed = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code })
const PROBLEM = 'Nothing was stored.'

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM'])('a disk that says %s may take it later', (code) => {
  const cause = failed(code)
  expect(explainDisk(cause, PROBLEM)).toMatchObject({ code: 'STORAGE_FULL', message: PROBLEM, retry: 'backoff', cause })
})

test('what is no disk’s refusal stays what it is', () => {
  const error = failed('EMFILE')
  expect([explainDisk(error, PROBLEM), explainDisk('text', PROBLEM)]).toEqual([error, 'text'])
})
