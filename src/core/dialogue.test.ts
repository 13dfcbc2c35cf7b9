import { describe, expect, test } from 'vitest'
import { NO_DIALOGUE, pairDialogue, type Dialogue, type SaidRows } from './dialogue.ts'

const AT = '2026-11-22T09:00:00Z'
const message = (content: string, turnId: string | null = null): SaidRows['messages'][number] => ({
  user: 'anna',
  role: 'USER',
  content,
  at: AT,
  turnId,
})
const answer = (turnId: string, text: string): SaidRows['answers'][number] => ({ turnId, text, at: AT })
const rows = (messages: SaidRows['messages'], answers: SaidRows['answers'] = [], hasMore = false): SaidRows => ({
  messages,
  answers,
  hasMore,
})

/** "Messages > answers" of each exchange. */
const linesOf = ({ exchanges }: Dialogue): string[] =>
  exchanges.map(({ messages, answers }) => {
    const said = messages.map(({ content }) => content).join('+')
    return [said, ...answers.map(({ text }) => text)].join(' > ')
  })

describe('pairDialogue', () => {
  test('puts each answer behind its message, however they came', () => {
    const said = rows(
      [message('one', 't1'), message('two', 't2'), message('note')],
      [answer('t1', 'first'), answer('t2', 'second'), answer('t1', 'last')],
    )
    expect(linesOf(pairDialogue(said, 100))).toEqual(['one > first > last', 'two > second', 'note'])
  })

  test('keeps together what one turn served, where the first of it stands', () => {
    const said = rows([message('one', 't1'), message('other', 't2'), message('more', 't1')], [answer('t1', 'both')])
    expect(linesOf(pairDialogue(said, 100))).toEqual(['one+more > both', 'other'])
  })

  test('leaves out whole exchanges from the oldest end, and says so', () => {
    const said = rows([message('a'.repeat(40)), message('b'.repeat(40), 't'), message('c'.repeat(40))])
    expect(pairDialogue(said, 30)).toMatchObject({ leftOut: false, exchanges: { length: 3 } })
    expect(pairDialogue(said, 29)).toMatchObject({ leftOut: true, exchanges: { length: 2 } })
    expect(pairDialogue({ ...said, hasMore: true }, 30)).toMatchObject({ leftOut: true })
  })

  test('shows of the newest what fits, without half a character', () => {
    const said = rows([message('old'), message('👋'.repeat(50), 't')], [answer('t', 'x'.repeat(50))])
    const { exchanges, leftOut } = pairDialogue(said, 5)
    expect(exchanges).toMatchObject([{ answers: [{ text: 'x'.repeat(10) }] }])
    expect(exchanges[0]?.messages[0]?.content).toBe('👋'.repeat(5))
    expect(leftOut).toBe(true)
  })

  test('is nearly full when a quarter of it is left', () => {
    const said = rows([message('a'.repeat(40)), message('b'.repeat(40))])
    expect(pairDialogue(said, 27)).toMatchObject({ leftOut: false, isNearlyFull: false })
    expect(pairDialogue(said, 26)).toMatchObject({ leftOut: false, isNearlyFull: true })
  })

  test('shows nothing without tokens', () => {
    expect(pairDialogue(rows([message('one')]), 0)).toEqual({ exchanges: [], leftOut: true, isNearlyFull: true })
    expect(pairDialogue(rows([]), 0)).toEqual(NO_DIALOGUE)
  })
})
