import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ReadSoon } from './read-soon.ts'

const KEYS = [['Things']]

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A list that is shown, whose answers are given by the test, in the order in which they were asked for. */
function shownList() {
  const asked: PromiseWithResolvers<string>[] = []
  const queries = new QueryClient()
  const queryFn = (): Promise<string> => {
    const answer = Promise.withResolvers<string>()
    asked.push(answer)
    return answer.promise
  }
  const observer = new QueryObserver(queries, { queryKey: ['Things', {}], queryFn, retry: false })
  observer.subscribe(() => {})
  const answered: number[] = []
  const onAsk = () => {
    const count = asked.length
    return () => void answered.push(count)
  }
  const soon = new ReadSoon(queries, { keys: KEYS, delayMs: 1000, onAsk })
  const answer = async (text: string): Promise<void> => {
    asked.at(-1)?.resolve(text)
    await vi.advanceTimersByTimeAsync(0)
  }
  return { soon, asked, answered, answer, queries, shown: () => observer.getCurrentResult().data }
}

test('a change while the first answer is awaited is read after it', async () => {
  const { soon, asked, answer, answered, shown } = shownList()
  soon.change()
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toHaveLength(1)
  await answer('before')
  expect(asked).toHaveLength(2)
  expect(answered).toEqual([])
  await answer('after')
  expect(shown()).toBe('after')
  expect(answered).toEqual([1])
})

test('what another part began to read before the change is waited for, too', async () => {
  const { soon, asked, answer, queries } = shownList()
  await answer('first')
  const slow = Promise.withResolvers<string>()
  void queries.fetchQuery({ queryKey: ['Things', 'count'], queryFn: () => slow.promise })
  soon.change()
  await vi.advanceTimersByTimeAsync(1000)
  void queries.refetchQueries({ queryKey: ['Things', {}] })
  slow.resolve('1')
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toHaveLength(2)
  await answer('asked for meanwhile')
  expect(asked).toHaveLength(3)
})

test('changes while it is read again lead to one more read; a steady stream of them lets each read end', async () => {
  const { soon, asked, answer, shown } = shownList()
  await answer('first')
  soon.change()
  await vi.advanceTimersByTimeAsync(1000)
  for (let n = 0; n < 5; n += 1) {
    soon.change()
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(asked).toHaveLength(2)
  await answer('second')
  expect(shown()).toBe('second')
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked).toHaveLength(3)
  await answer('third')
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toHaveLength(3)
})

test('a read that failed answers nothing; none begins once it is stopped', async () => {
  const { soon, asked, answer, answered } = shownList()
  await answer('first')
  soon.change()
  await vi.advanceTimersByTimeAsync(1000)
  asked.at(-1)?.reject(new Error('The server is away.'))
  await vi.advanceTimersByTimeAsync(0)
  expect(answered).toEqual([])
  soon.change()
  soon.stop()
  soon.change()
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toHaveLength(2)
})
