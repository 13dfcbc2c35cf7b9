import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalText } from '../../core/text/normal-text.ts'
import { groupAlike, type ComparedText } from './group-alike.ts'
import { lostSubstance } from './lost-substance.ts'

const texts = (...contents: string[]): ComparedText[] =>
  contents.map((content, n) => ({ id: `learn_${n}`, content, norm: normalText(content), scope: 'GLOBAL ' }))

describe('what is put together', () => {
  test('what says the same in more or fewer words: the one that keeps all is proposed', () => {
    const [group, ...others] = groupAlike(
      texts(
        'The gateway listens on port 8080.',
        'Bananas are delivered on Fridays.',
        'The gateway of Tove listens on port 8080.',
        'the gateway listens on port 8080!',
      ),
    )
    expect(others).toEqual([])
    expect(group).toEqual({
      ids: ['learn_0', 'learn_2', 'learn_3'],
      proposed: 'The gateway of Tove listens on port 8080.',
      problem: null,
    })
  })

  test.each([
    ['The gateway listens on port 8080.', 'The gateway listens on port 8081.', /"808[01]" is lost/],
    ['The mirror in Oslo is used.', 'The mirror in Oslo is not used.', /some of them are negated/],
    ['Grace approves the releases.', 'Bob approves the releases.', /is lost/],
  ])('of what contradicts each other nothing is proposed: %s, %s', (one, other, problem) => {
    expect(groupAlike(texts(one, other))).toEqual([
      { ids: ['learn_0', 'learn_1'], proposed: null, problem: expect.stringMatching(problem) as string },
    ])
  })

  test('what is of another scope stays apart', () => {
    const [one, other] = texts('The gateway listens on port 8080.', 'The gateway listens on port 8080.')
    expect(groupAlike([one, { ...other, scope: 'USER bob' }] as ComparedText[])).toEqual([])
  })
})

const word = fc.constantFrom('gateway', 'mirror', 'Grace', 'not', '8080', '8081', 'only', 'runs', 'Oslo', 'nightly')
const content = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))

test('whatever comes: each is in one group at most, and a proposal is a text of the group that loses nothing', () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 30 }), (contents) => {
      const all = texts(...contents)
      const groups = groupAlike(all)
      const ids = groups.flatMap((group) => group.ids)
      expect(new Set(ids).size).toBe(ids.length)
      for (const { ids: members, proposed, problem } of groups) {
        expect(members.length).toBeGreaterThan(1)
        const said = all.filter(({ id }) => members.includes(id)).map((one) => one.content)
        expect(problem === null).toBe(proposed !== null)
        if (proposed === null) continue
        expect(said).toContain(proposed)
        expect(lostSubstance(said, proposed)).toBeNull()
      }
    }),
  )
})
