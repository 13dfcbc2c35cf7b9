import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Viewer } from '../../core/identity.ts'
import { Holdings, limitOf } from './holdings.ts'

function viewer(tokenName: string, name: string | null): Viewer {
  const user = name === null ? null : ({ name, role: 'USER' } as Viewer['user'])
  return { tokenName, tokenKind: name === null ? 'CONNECTOR' : 'USER', namespace: null, user, role: 'USER' }
}

const ANNAS_PHONE = viewer('phone', 'anna')
const VIEWERS = [
  ANNAS_PHONE,
  viewer('laptop', 'anna'),
  viewer('bens', 'ben'),
  viewer('anna', null),
  viewer('ben', null),
]
/** Of those above, who holds together. */
const TOGETHER = [[0, 1], [2], [3], [4]]

const steps = fc.array(
  fc.oneof(
    fc.record({
      take: fc.nat(VIEWERS.length - 1),
      tenths: fc.integer({ min: 1, max: 500 }),
    }),
    fc.record({ release: fc.nat(60) }),
  ),
  { maxLength: 60 },
)

test('a holder has what was taken by any of its tokens and not released, however often a release is called', () => {
  fc.assert(
    fc.property(steps, (done) => {
      const holdings = new Holdings()
      const taken: { of: number; tenths: number; isHeld: boolean; release: () => void }[] = []
      for (const step of done) {
        if ('take' in step) {
          const release = holdings.take(VIEWERS[step.take] as Viewer, step.tenths / 10)
          taken.push({ of: step.take, tenths: step.tenths, isHeld: true, release })
        } else {
          const one = taken[step.release % Math.max(1, taken.length)]
          if (one !== undefined) one.isHeld = false
          one?.release()
        }
        const held = taken.filter(({ isHeld }) => isHeld)
        expect(holdings.count).toBe(held.length)
        for (const together of TOGETHER) {
          const tenths = held.filter(({ of }) => together.includes(of)).reduce((sum, one) => sum + one.tenths, 0)
          for (const of of together) expect(holdings.of(VIEWERS[of] as Viewer)).toBeCloseTo(tenths / 10, 6)
        }
      }
      for (const { release } of taken) release()
      expect(VIEWERS.map((one) => holdings.of(one))).toEqual(VIEWERS.map(() => 0))
    }),
  )
})

test('a connector may hold more, since it acts for many people', () => {
  expect(limitOf(ANNAS_PHONE, 20)).toBe(20)
  expect(limitOf(viewer('discord', null), 20)).toBe(100)
})
