import { describe, expect, test } from 'vitest'
import type { ReviewVerdict, TaskStatus } from '../../core/status.ts'
import { nextStep, type NextStep } from './next-step.ts'

const msg = (status: TaskStatus): NextStep => nextStep({ type: 'MSG', status, reviewVerdict: null })

describe.each(['EXEC', 'SKILL'] as const)('what is due for a task of type %s', (type) => {
  const exec = (status: TaskStatus, reviewVerdict: ReviewVerdict | null = null): NextStep =>
    nextStep({ type, status, reviewVerdict })

  test('a command runs once: one that was under way is never run again', () => {
    expect(exec('PENDING')).toBe('run')
    expect(exec('RUNNING')).toBe('interrupt')
  })

  test('a command that has ended, however it ended, is reviewed once', () => {
    for (const status of ['DONE', 'FAILED', 'INTERRUPTED'] as const) {
      expect(exec(status)).toBe('review')
      expect(exec(status, 'OK')).toBe('pass')
      expect(exec(status, 'REPLAN')).toBe('replan')
    }
  })

  test('a text is written until it is whole', () => {
    expect(msg('PENDING')).toBe('run')
    expect(msg('RUNNING')).toBe('run')
    expect(msg('FAILED')).toBe('run')
    expect(msg('DONE')).toBe('pass')
  })

  test('what was given up is passed by', () => {
    for (const status of ['SKIPPED', 'CANCELLED'] as const) {
      expect(exec(status)).toBe('pass')
      expect(msg(status)).toBe('pass')
    }
  })
})
