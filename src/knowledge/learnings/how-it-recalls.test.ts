import { describe, expect, test } from 'vitest'
import { normalText } from '../../core/text/normal-text.ts'
import { howItRecalls } from './how-it-recalls.ts'

const FACT = 'Releases are approved by Grace.'
const recalls = (text: string): string | null => howItRecalls(normalText(text), normalText(FACT))

describe('a fact of the prompt', () => {
  test.each([
    'As already known, releases are approved by Grace.',
    'Note: **releases are approved by Grace**.',
    'Wie bereits bekannt: Releases are approved by Grace',
    'Comme déjà noté, releases are approved by Grace.',
    'It is confirmed again that releases are approved by Grace.',
  ])('is merely recalled: %s', (text) => {
    expect(recalls(text)).toBe('merely')
  })

  test.each([
    'Releases are approved by Grace or Bob.',
    'Releases are approved by Grace except on Sundays.',
    'Releases are approved by Grace only.',
    'It is no fact that releases are approved by Grace.',
    'Until Friday releases are approved by Grace.',
    'Rarely, releases are approved by Grace.',
    'Wie bekannt, nicht: releases are approved by Grace.',
    'Releases are approved by Grace partially.',
  ])('stands in what says more: %s', (text) => {
    expect(recalls(text)).toBe('within')
  })

  test.each(['Releases are approved by Gracel.', 'Approved by Grace.', ''])('is not contained: %s', (text) => {
    expect(recalls(text)).toBeNull()
  })
})
