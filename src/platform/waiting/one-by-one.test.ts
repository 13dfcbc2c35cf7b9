import { expect, test } from 'vitest'
import { oneByOne } from './one-by-one.ts'

const AWAY = new Error('away')
const BUG = new Error('bug')

/** Items fail as they are named. */
async function act(items: readonly string[], signal = new AbortController().signal) {
  const done: string[] = []
  const bugs: string[] = []
  const acting = oneByOne(items, {
    act: (item) => {
      if (item.startsWith('away')) return Promise.reject(AWAY)
      if (item.startsWith('bug')) return Promise.reject(BUG)
      done.push(item)
      return Promise.resolve()
    },
    isOutage: (error) => error === AWAY,
    onBug: (_error, item) => void bugs.push(item),
    signal,
  })
  const failure = await acting.then(
    (first) => first,
    (error: unknown) => ({ rejects: error }),
  )
  return { done, bugs, failure }
}

test('one that fails keeps no other from its turn, and the first failure of the world is returned', async () => {
  expect(await act(['away 1', 'a', 'bug', 'b', 'away 2', 'c'])).toEqual({
    done: ['a', 'b', 'c'],
    bugs: ['bug'],
    failure: AWAY,
  })
})

test('two in a row end it: the world is away for all', async () => {
  expect(await act(['a', 'away 1', 'away 2', 'b'])).toEqual({ done: ['a'], bugs: [], failure: { rejects: AWAY } })
})

test('none is begun after the signal', async () => {
  expect(await act(['a'], AbortSignal.abort())).toEqual({ done: [], bugs: [], failure: null })
})
