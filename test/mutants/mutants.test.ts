/**
 * The list of mutants fits the code: every text that is to be changed stands where the list says, every test file
 * exists.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mutate } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

describe.each(MUTANTS)('mutant $name', (mutant) => {
  test('fits the code and names tests that exist', () => {
    expect(() => mutate(readFileSync(mutant.file, 'utf8'), mutant)).not.toThrow()
    expect(mutant.tests.filter((file) => !existsSync(file))).toEqual([])
    expect(mutant.tests).not.toEqual([])
  })
})

test('names are unique', () => {
  const names = MUTANTS.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
