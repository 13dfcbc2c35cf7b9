import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { must } from '../../../platform/must.ts'
import type { Paged } from '../../operation/paged.ts'
import { toPage } from './page.ts'
import { encodeCursor } from './cursor.ts'
import { readPageRequest, readPageSize, type PageArguments, type PagedField } from './page-request.ts'

/** A field as a resolver is given it. */
function fieldWith(paged: Paged): PagedField {
  const parentType = must(buildSchema('type Query { list: Int }').getQueryType(), 'the root')
  Object.assign(must(parentType.getFields()['list'], 'the field').extensions, { paged })
  return { parentType, fieldName: 'list' }
}

describe('readPageRequest', () => {
  const field = fieldWith({ default: 20, max: 100 })
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
    expect(readPageRequest('turns1', args, field)).toEqual(request)
  })

  test.each<[PageArguments, string]>([
    [{ first: 0 }, '"first" must be 1 to 100; it is 0.'],
    [{ last: 101 }, '"last" must be 1 to 100; it is 101.'],
    [{ first: 1, last: 1 }, 'Pass "first" or "last", not both.'],
  ])('%j is refused', (args, message) => {
    expect(() => readPageRequest('turns1', args, field)).toThrow(message)
  })

  test('the sizes are those that the field declares', () => {
    const events = fieldWith({ default: 100, max: 500 })
    expect([{}, { first: null }, { first: 500 }].map((args) => readPageSize(args, events))).toEqual([100, 100, 500])
    expect(() => readPageSize({ first: 501 }, events)).toThrow('"first" must be 1 to 500; it is 501.')
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
