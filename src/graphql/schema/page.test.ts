import { describe, expect, test } from 'vitest'
import { toPage } from './page.ts'
import { checkSize, readPageRequest, type PageArguments } from './page-request.ts'
import { encodeCursor } from './cursor.ts'

describe('readPageRequest', () => {
  const cursor = encodeCursor('turns1', [4])
  test.each<[PageArguments, object]>([
    [{}, { size: 20, fromEnd: false, after: null, before: null }],
    [
      { first: null, last: null, after: null, before: null },
      { size: 20, fromEnd: false, after: null, before: null },
    ],
    [{ first: 1 }, { size: 1, fromEnd: false, after: null, before: null }],
    [
      { last: 100, before: cursor },
      { size: 100, fromEnd: true, after: null, before: [4] },
    ],
    [
      { first: 3, after: cursor, before: cursor },
      { size: 3, fromEnd: false, after: [4], before: [4] },
    ],
  ])('%j', (args, request) => {
    expect(readPageRequest('turns1', args)).toEqual(request)
  })

  test.each<[PageArguments, string]>([
    [{ first: 0 }, '"first" must be 1 to 100; it is 0.'],
    [{ last: 101 }, '"last" must be 1 to 100; it is 101.'],
    [{ first: 1, last: 1 }, 'Pass "first" or "last", not both.'],
  ])('%j is refused', (args, message) => {
    expect(() => readPageRequest('turns1', args)).toThrow(message)
  })

  test('a list may have a limit of its own', () => {
    expect(checkSize('first', 500, 500)).toBe(500)
    expect(() => checkSize('first', 501, 500)).toThrow('"first" must be 1 to 500; it is 501.')
  })
})

describe('toPage', () => {
  const rows = (seqs: readonly number[]) => seqs.map((seq) => ({ position: [seq] as [number], node: { seq } }))
  const request = { size: 2, fromEnd: false, after: null, before: null }

  test('one row more than asked for tells that the list goes on', () => {
    const page = toPage('turns1', request, rows([1, 2, 3]))
    expect(page.edges.map((edge) => edge.node.seq)).toEqual([1, 2])
    expect(page.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: encodeCursor('turns1', [1]),
      endCursor: encodeCursor('turns1', [2]),
    })
    expect(toPage('turns1', request, rows([1, 2])).pageInfo.hasNextPage).toBe(false)
  })

  test('read from the end, it is turned round', () => {
    const page = toPage('turns1', { ...request, fromEnd: true, before: [4] }, rows([3, 2, 1]))
    expect(page.edges.map((edge) => edge.node.seq)).toEqual([2, 3])
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  })

  test('an empty page has no cursors', () => {
    expect(toPage('turns1', request, [])).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    })
  })
})
