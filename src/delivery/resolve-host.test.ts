import { expect, test } from 'vitest'
import { createResolve } from './resolve-host.ts'

test('a name that only the hosts file knows has its address', async () => {
  expect(await createResolve()('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
})

test('a name that nobody knows has none', async () => {
  await expect(createResolve()('no-such-name.invalid')).rejects.toThrow('ENOTFOUND')
})
