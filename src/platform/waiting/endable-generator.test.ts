import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { EndableGenerator } from './endable-generator.ts'

/** Gives what is pushed, and fails on `fail`. */
class Pushed extends EndableGenerator<number> {
  readonly #waiting: number[] = []
  #wake: () => void = () => undefined
  #failure: Error | null = null
  isClosed = false
  ends = 0

  push(value: number): void {
    this.#waiting.push(value)
    this.#wake()
  }

  close(): void {
    this.isClosed = true
    this.#wake()
  }

  breakDown(error: Error): void {
    this.#failure = error
    this.#wake()
  }

  fail(error: Error): void {
    this.end({ error })
  }

  protected async take(): Promise<number | null> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure
      const value = this.#waiting.shift()
      if (value !== undefined) return value
      if (this.isClosed) return null
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  protected onEnd(): void {
    this.ends += 1
  }
}

const STEPS = ['push', 'next', 'next', 'settle', 'return', 'throw', 'fail', 'breakDown', 'close'] as const
type Step = (typeof STEPS)[number]

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
}

async function check(steps: readonly Step[]): Promise<void> {
  const pushed = new Pushed()
  const values: number[] = []
  const outcomes: string[] = []
  const calls: Promise<void>[] = []
  let sent = 0
  const call = (): void => {
    const noted = pushed.next().then(
      ({ done, value }) => {
        outcomes.push(done === true ? 'done' : 'value')
        if (value !== undefined) values.push(value)
      },
      () => void outcomes.push('error'),
    )
    calls.push(noted)
  }
  for (const step of steps) {
    if (step === 'push') pushed.push((sent += 1))
    else if (step === 'next') call()
    else if (step === 'settle') await settle()
    else if (step === 'close') pushed.close()
    else if (step === 'fail' || step === 'breakDown') pushed[step](new Error('broken'))
    else await pushed[step]()
  }
  await pushed.return()
  call()
  await Promise.all(calls)

  expect(values).toEqual(Array.from({ length: values.length }, (_, index) => index + 1))
  expect(outcomes).toHaveLength(calls.length)
  const end = outcomes.findIndex((outcome) => outcome !== 'value')
  expect(outcomes.slice(0, end).every((outcome) => outcome === 'value')).toBe(true)
  expect(outcomes.slice(end + 1).every((outcome) => outcome === 'done')).toBe(true)
  expect(pushed.ends).toBe(1)
}

test('whatever the order of calls, values, errors and ends: in order, once each, and every call settles', async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 20 }), check), {
    numRuns: rounds(200, 500),
  })
})

test('a reader that waits is let go when it is ended, also with an error', async () => {
  const [ended, failed] = [new Pushed(), new Pushed()]
  const waiting = [ended.next(), failed.next()]
  await settle()
  await ended.return()
  failed.fail(new Error('broken'))
  expect(await waiting[0]).toEqual({ done: true, value: undefined })
  await expect(waiting[1]).rejects.toThrow('broken')
  expect(await failed.next()).toEqual({ done: true, value: undefined })
})
