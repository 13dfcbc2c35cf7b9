import { buildSchema, execute, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { must } from '../../platform/must.ts'
import { AnswerBudget, fitResult } from './answer-budget.ts'
import { countAnswers } from './count-answers.ts'

const MIB = 1024 * 1024

/** How many of a thousand requested texts of 1 MiB are resolved when an answer may have 4.5 MiB. */
async function resolved(bodyType: string, body: () => unknown): Promise<{ count: number; code: unknown }> {
  const schema = buildSchema(`type Query { texts: [Text!]! } type Text { id: ID!, body: ${bodyType} } scalar JSON`)
  let count = 0
  const text = must(schema.getType('Text'), 'the type')
  if ('getFields' in text)
    Object.assign(must(text.getFields()['body'], 'the field'), {
      resolve: () => {
        count += 1
        return body()
      },
    })
  countAnswers(schema)
  const answer = new AnswerBudget(4.5 * MIB)
  const rootValue = { texts: Array.from({ length: 1000 }, (_, id) => ({ id })) }
  const args = { schema, document: parse('{ texts { body } }'), rootValue, contextValue: { answer } }
  const failure: unknown = await Promise.resolve()
    .then(() => execute({ ...args, abortSignal: answer.signal }))
    .then(
      () => null,
      (error: unknown) => error,
    )
  expect((failure as Error).cause).toBe(answer.signal.reason)
  return { count, code: answer.refusal.errors?.[0]?.extensions['code'] }
}

describe('an answer that gets too large is given up while it is resolved', () => {
  const long = (): string => 'x'.repeat(MIB)
  test.each<[string, string, () => unknown]>([
    ['of texts', 'String!', long],
    ['of texts that may be null', 'String', long],
    ['of lists of texts', '[String!]', () => [long()]],
    ['of JSON', 'JSON', () => ({ deep: [long()] })],
  ])('%s', async (_name, type, body) => {
    expect(await resolved(type, body)).toEqual({ count: 5, code: 'RESPONSE_TOO_LARGE' })
  })

  test('of texts that come later', async () => {
    const { count, code } = await resolved('String!', async () => long())
    expect([count, code]).toEqual([1000, 'RESPONSE_TOO_LARGE'])
  })
})

describe('fitResult', () => {
  const result = { data: { a: 'x'.repeat(100) } }
  const bytes = JSON.stringify(result).length

  test('passes what fits, to the byte', () => {
    expect(fitResult(result, bytes)).toBe(result)
    expect(fitResult(result, bytes - 1).data).toBeNull()
  })

  test('says how large it may be and what to ask for instead', () => {
    expect(fitResult({ data: { a: 'x'.repeat(2 * MIB) } }, MIB).errors?.[0]?.toJSON()).toEqual({
      message: expect.stringContaining('larger than 1 MiB. Ask for smaller pages'),
      extensions: { code: 'RESPONSE_TOO_LARGE' },
    })
  })
})
