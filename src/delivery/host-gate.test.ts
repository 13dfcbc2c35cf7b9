import { setImmediate as settle } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostGate, type Leave } from './host-gate.ts'

const A = 'https://a.example/hook'
const B = 'https://b.example/hook'
const signal = new AbortController().signal

/** What has entered, in order; each with its way out. */
function watch(gate: HostGate) {
  const entered: { url: string; leave: Leave }[] = []
  const enter = (url: string): void =>
    void gate.enter(url, signal).then((leave) => leave !== null && entered.push({ url, leave }))
  return { entered, enter }
}

test('a full host keeps those of other hosts from nothing, and lets in who waits when one leaves', async () => {
  const { entered, enter } = watch(new HostGate({ total: 10, perHost: 2 }))
  for (const url of [A, A, A, `${A}/other`, B]) enter(url)
  await settle()
  expect(entered.map(({ url }) => url)).toEqual([A, A, B])
  entered[0]?.leave({ silent: false })
  await settle()
  expect(entered.map(({ url }) => url)).toEqual([A, A, B, A])
})

test('an address that did not answer gets one place until it does; others at its host keep theirs', async () => {
  const { entered, enter } = watch(new HostGate({ total: 10, perHost: 4 }))
  enter(A)
  await settle()
  entered[0]?.leave({ silent: true })
  for (const url of [A, A, A, `${A}/other`]) enter(url)
  await settle()
  expect(entered.map(({ url }) => url)).toEqual([A, A, `${A}/other`])
  entered[1]?.leave({ silent: false })
  await settle()
  expect(entered).toHaveLength(5)
})

test('the total holds over all hosts', async () => {
  const { entered, enter } = watch(new HostGate({ total: 3, perHost: 2 }))
  for (let n = 0; n < 5; n += 1) enter(`https://host-${n}.example/`)
  await settle()
  expect(entered).toHaveLength(3)
})

test('who waits can give up', async () => {
  const gate = new HostGate({ total: 1, perHost: 1 })
  const first = await gate.enter(A, signal)
  const giving = new AbortController()
  const waiting = gate.enter(A, giving.signal)
  giving.abort()
  expect(await waiting).toBeNull()
  expect(await gate.enter(A, giving.signal)).toBeNull()
  first?.({ silent: false })
  expect(await gate.enter(A, signal)).not.toBeNull()
})

test('whatever comes and goes, the limits hold and everybody gets in', async () => {
  const urls = fc.array(fc.constantFrom(A, `${A}/2`, B, 'https://c.example/'), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(urls, fc.infiniteStream(fc.boolean()), async (all, silences) => {
      const { entered, enter } = watch(new HostGate({ total: 5, perHost: 2 }))
      for (const url of all) enter(url)
      let left = 0
      for (await settle(); left < entered.length; await settle()) {
        const inside = entered.slice(left)
        expect(inside.length).toBeLessThanOrEqual(5)
        for (const host of ['a', 'b', 'c'])
          expect(inside.filter(({ url }) => url.startsWith(`https://${host}.`)).length).toBeLessThanOrEqual(2)
        entered[left]?.leave({ silent: silences.next().value === true })
        left += 1
      }
      expect(entered).toHaveLength(all.length)
    }),
    { numRuns: 50 },
  )
})

test('ten thousand that wait at one host cost little each', { timeout: 20_000 }, async () => {
  const { entered, enter } = watch(new HostGate({ total: 256, perHost: 4 }))
  const count = 10_000
  for (let n = 0; n < count; n += 1) enter(`${A}/${n}`)
  let left = 0
  for (await settle(); left < entered.length; await settle())
    for (const { leave } of entered.slice(left)) {
      leave({ silent: false })
      left += 1
    }
  expect(left).toBe(count)
})
