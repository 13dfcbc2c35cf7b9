import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalEntry, GENESIS_HASH, sealHash, type SealableEntry } from './seal-hash.ts'

const text = fc.string({ unit: 'binary', maxLength: 12 })
const nullable = fc.option(text, { nil: null })
const entry: fc.Arbitrary<SealableEntry> = fc.record({
  txid: text,
  pos: text,
  id: text,
  at: text,
  kind: text,
  sessionId: nullable,
  turnId: nullable,
  actor: nullable,
  tokenName: nullable,
  data: text,
})
const head = { n: 7, day: '2026-11-21', sealedAt: '2026-11-21T10:00:00.000Z' }

test('two entries have the same canonical form only if they are the same', () => {
  fc.assert(
    fc.property(entry, entry, (a, b) => {
      const same = Object.keys(a).every((key) => a[key as keyof SealableEntry] === b[key as keyof SealableEntry])
      expect(canonicalEntry(a) === canonicalEntry(b)).toBe(same)
    }),
  )
})

test('a text never moves from one column to the next, and null is not the text "null"', () => {
  fc.assert(
    fc.property(entry, text, (one, moved) => {
      const left = canonicalEntry({ ...one, actor: moved, tokenName: null })
      const right = canonicalEntry({ ...one, actor: null, tokenName: moved })
      expect(left).not.toBe(right)
      expect(canonicalEntry({ ...one, actor: 'null' })).not.toBe(canonicalEntry({ ...one, actor: null }))
    }),
  )
})

test('an entry is one line, so entries cannot run into each other', () => {
  fc.assert(
    fc.property(entry, (one) => {
      expect(canonicalEntry(one).split('\n')).toHaveLength(1)
    }),
  )
})

test('the hash tells every change: an entry, the order, one more, one less, the seal, the seal before', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 2, maxLength: 5 }), entry, (entries, other) => {
      const hash = sealHash(GENESIS_HASH, head, entries).toString('hex')
      const differs = (before: Buffer, sealHead: typeof head, list: readonly SealableEntry[]): void =>
        expect(sealHash(before, sealHead, list).toString('hex')).not.toBe(hash)
      const [first, ...rest] = entries as [SealableEntry, ...SealableEntry[]]
      differs(GENESIS_HASH, head, rest)
      differs(GENESIS_HASH, head, [...entries, other])
      differs(GENESIS_HASH, head, [{ ...first, data: `${first.data} ` }, ...rest])
      if (canonicalEntry(first) !== canonicalEntry(entries.at(-1) as SealableEntry)) {
        differs(GENESIS_HASH, head, [...rest, first])
      }
      differs(GENESIS_HASH, { ...head, n: 8 }, entries)
      differs(GENESIS_HASH, { ...head, sealedAt: '2026-11-21T10:00:00.001Z' }, entries)
      differs(Buffer.alloc(32, 1), head, entries)
    }),
  )
})

test('the canonical form stands: what was sealed must stay provable', () => {
  const one: SealableEntry = {
    txid: '812',
    pos: '3',
    id: 'aud_01jd0000000000000000000000',
    at: '2026-11-21T10:00:00.000Z',
    kind: 'SESSION',
    sessionId: 'cli:demo',
    turnId: null,
    actor: 'ada',
    tokenName: 'cli',
    data: '{"change": "OPENED", "detail": null}',
  }
  expect(canonicalEntry(one)).toBe(
    '["812","3","aud_01jd0000000000000000000000","2026-11-21T10:00:00.000Z","SESSION","cli:demo",null,"ada","cli","{\\"change\\": \\"OPENED\\", \\"detail\\": null}"]',
  )
  expect(sealHash(GENESIS_HASH, head, [one]).toString('hex')).toMatchInlineSnapshot(
    `"686e37ae559d205e5b3d15993de9afab59173d2c8ed14f49afed3ccf38011e6c"`,
  )
})
