import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_JOINED_BYTES, messagesToJoin } from './join-messages.ts'

interface Text {
  readonly userName: string
  readonly client: string
  readonly bytes: number
  readonly isCall: boolean
}

const text: fc.Arbitrary<Text> = fc.record({
  userName: fc.constantFrom('ada', 'ben', 'cleo'),
  client: fc.constantFrom('web', 'bridge', 'schedule:schedule_1'),
  bytes: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 2000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: MAX_JOINED_BYTES }) },
  ),
  isCall: fc.nat(9).map((one) => one === 0),
})

/**
 * A queue that is worked off as a session does it: the first message leads, and what joins it leaves the queue with it.
 */
function workOff(queue: readonly Text[]): Text[][] {
  const turns: Text[][] = []
  let waiting = [...queue]
  for (let leader = waiting[0]; leader !== undefined; leader = waiting[0]) {
    const rest = waiting.slice(1)
    const joined = messagesToJoin(leader, rest)
    turns.push([leader, ...joined])
    waiting = rest.filter((message) => !joined.includes(message))
  }
  return turns
}

const personOf = ({ userName, client }: Text): string => `${userName} by ${client}`
const sizeOf = (texts: readonly Text[]): number => texts.reduce((sum, { bytes }) => sum + bytes, 0)

test('whatever waits: nothing is lost, nothing comes twice, each person keeps their order, and no turn has text of two', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (queue) => {
      const turns = workOff(queue)
      const served = turns.flat()
      expect(served).toHaveLength(queue.length)
      expect(new Set(served)).toEqual(new Set(queue))
      for (const person of new Set(queue.map(personOf))) {
        const isTheirs = (one: Text): boolean => personOf(one) === person
        expect(served.filter(isTheirs)).toEqual(queue.filter(isTheirs))
      }
      for (const turn of turns) expect(new Set(turn.map(personOf)).size).toBe(1)
    }),
  )
})

const isOfSchedule = (turn: readonly Text[]): boolean => turn.some(({ client }) => client.startsWith('schedule:'))

test('turns are as few as may be, in the order of those who lead them, and none has more text than one message may', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (queue) => {
      const turns = workOff(queue)
      const leaders = turns.flatMap(([leader]) => (leader === undefined ? [] : [queue.indexOf(leader)]))
      expect(leaders).toEqual([...leaders].sort((a, b) => a - b))
      expect(turns.filter((turn) => sizeOf(turn) > MAX_JOINED_BYTES)).toEqual([])
      const ofPeople = turns.filter((turn) => !isOfSchedule(turn))
      const needless = ofPeople.filter((turn, at) => {
        const next = ofPeople.slice(at + 1).find((later) => later.map(personOf)[0] === turn.map(personOf)[0])
        return (
          next !== undefined && next[0]?.isCall === false && sizeOf([...turn, ...next.slice(0, 1)]) <= MAX_JOINED_BYTES
        )
      })
      expect(needless).toEqual([])
    }),
  )
})

test('the run of a schedule takes nothing along, and nothing takes it', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (queue) => {
      expect(workOff(queue).filter((turn) => isOfSchedule(turn) && turn.length > 1)).toEqual([])
    }),
  )
})

test('two texts join where they are as much as one may be together, and not where they are a byte more', () => {
  const half = { userName: 'ada', client: 'web', bytes: MAX_JOINED_BYTES / 2, isCall: false }
  expect(messagesToJoin(half, [half])).toEqual([half])
  expect(messagesToJoin(half, [{ ...half, bytes: half.bytes + 1 }])).toEqual([])
})
