import { describe, expect, test } from 'vitest'
import type { CommandOutcome } from '../../execution/command.ts'
import { REDACTED } from '../../core/text/redacted.ts'
import { Redactor } from '../../secrets/redaction.ts'
import { printedText } from './printed-text.ts'

const SECRET = 'open-sesame-42'
const redactor = Redactor.of([SECRET])
const exited = { kind: 'exited', exitCode: 0, stderr: '', truncated: false } as const
const killed = { kind: 'killed', cause: 'timeout', stderr: '', truncated: false } as const

const kept = (outcome: Extract<CommandOutcome, { stdout: string }>, mayHoldSecrets = true) =>
  printedText(outcome, { redactor, mayHoldSecrets })

describe('what is kept of what a program printed', () => {
  test('holds no secret', () => {
    expect(kept({ ...exited, stdout: `it is ${SECRET}` })).toEqual({
      stdout: `it is ${REDACTED}`,
      stderr: '',
      isShortened: false,
    })
  })

  test.each([true, false])(
    'ends in no half of a secret where it was cut off at the limit: may hold secrets: %s',
    (may) => {
      const cut = { ...exited, truncated: true, stdout: 'it is open-ses' }
      const whole = { ...cut, beyond: { stdout: 'ame-42\n', stderr: '' } }
      expect(kept(whole, may).stdout).toBe(`it is ${REDACTED}`)
    },
  )

  test('ends the same for right and wrong beginnings where it was cut off at the limit', () => {
    for (let right = 0; right < SECRET.length; right++) {
      for (let cut = 0; cut <= SECRET.length; cut++) {
        const guess = SECRET.slice(0, right).padEnd(SECRET.length, '?')
        const outcome = { ...exited, truncated: true, stdout: `it is ${guess.slice(0, cut)}` }
        expect(kept({ ...outcome, beyond: { stdout: `${guess.slice(cut)}\n`, stderr: '' } }).stdout).toBe(
          outcome.stdout,
        )
      }
    }
  })

  test('leaves out the unfinished line of a program that was ended, whatever it says', () => {
    for (const line of ['open-ses', 'or not', SECRET]) {
      expect(kept({ ...killed, stdout: `one\n${line}` })).toEqual({ stdout: 'one\n', stderr: '', isShortened: true })
      expect(kept({ ...killed, stdout: '', stderr: `1%\r${line}` })).toMatchObject({ stderr: '1%\r' })
    }
    expect(kept({ ...killed, stdout: 'one\n' })).toMatchObject({ stdout: 'one\n', isShortened: false })
    expect(kept({ ...killed, stdout: 'x'.repeat(20_000) })).toMatchObject({ stdout: 'x'.repeat(20_000 - 16_384) })
  })

  test('leaves out the unfinished line of one stream although the other was cut off at the limit', () => {
    const cut = { ...killed, truncated: true, stdout: 'it is open-ses', beyond: { stdout: 'ame-42\n', stderr: '' } }
    expect(kept({ ...cut, stderr: 'one\nopen-ses' })).toMatchObject({ stdout: `it is ${REDACTED}`, stderr: 'one\n' })
  })

  test('keeps the unfinished line of a program that can hold no secret', () => {
    expect(kept({ ...killed, stdout: 'one\nopen-ses' }, false)).toEqual({
      stdout: 'one\nopen-ses',
      stderr: '',
      isShortened: false,
    })
  })
})
