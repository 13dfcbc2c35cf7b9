import { expect, test } from 'vitest'
import { ChangeWatcher, MAX_PENDING } from './change-watcher.ts'

async function take(watcher: ChangeWatcher, count: number): Promise<(string | null)[]> {
  const taken: (string | null)[] = []
  while (taken.length < count) {
    const { value, done } = await watcher.next()
    if (done === true) break
    taken.push((value as { id: string | null }).id)
  }
  return taken
}

test('begins with the list, which holds what changed before it is read', async () => {
  const watcher = new ChangeWatcher(() => undefined)
  watcher.add('before')
  expect(await take(watcher, 1)).toEqual([null])
  watcher.add('a')
  watcher.add('b')
  watcher.add('a')
  expect(await take(watcher, 2)).toEqual(['a', 'b'])
})

test('asks to read the list where changes were missed, or are too many', async () => {
  const watcher = new ChangeWatcher(() => undefined)
  await take(watcher, 1)
  watcher.add('a')
  watcher.miss()
  watcher.add('b')
  expect(await take(watcher, 1)).toEqual([null])
  for (let n = 0; n <= MAX_PENDING; n += 1) watcher.add(`c${n}`)
  expect(await take(watcher, 1)).toEqual([null])
  watcher.add('d')
  expect(await take(watcher, 1)).toEqual(['d'])
})

test('wakes a reader that waits, and ends', async () => {
  let ended = 0
  const watcher = new ChangeWatcher(() => (ended += 1))
  await take(watcher, 1)
  const waiting = take(watcher, 1)
  await Promise.resolve()
  watcher.add('a')
  expect(await waiting).toEqual(['a'])
  const last = watcher.next()
  await watcher.return()
  expect(await last).toEqual({ done: true, value: undefined })
  expect(ended).toBe(1)
})
