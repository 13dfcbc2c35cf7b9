/**
 * Finds every occurrence of many patterns in one pass over a text (Aho-Corasick). Built once per set of secrets, used
 * by redaction.ts. The time is linear in the text, whatever the patterns and the text are.
 *
 * Most of a text is not read at all: an occurrence is at least as long as the shortest pattern, so three characters
 * every few are sampled (`#grams`), and the automaton reads only around those that stand in a pattern.
 *
 * The automaton: a node per prefix of a pattern, numbered breadth first. The first nodes, where ordinary text stays,
 * have a whole row of transitions; the others have their children as a list and a fallback, which keeps long secrets
 * small.
 */

import type { Span } from './encodings/span.ts'

/** How far a text has been read. */
interface Cursor {
  /** Characters of the text. */
  read: number
  /** The longest prefix of a pattern that what was read ends with. */
  node: number
  /** Characters skipped since the last one that counted. */
  skipped: number
}

/** As many in a row may be skipped; more of them end what was begun. */
const MAX_SKIPPED = 16
/** So many nodes have a whole row. */
const MAX_ROWS = 256
const GRAM = 3
/** Of the numbers that three characters make; different ones may share a number, which costs time alone. */
const GRAM_BITS = 18
const NO_GRAM = -1
/** The text ends before there are three. */
const ENDS = -2

const ASCII = 128
/** The class of characters that stand in no pattern. */
const FOREIGN = 0
const SKIP = 1

interface Reading {
  readonly text: string
  readonly cursor: Cursor
  readonly found: Span[]
}

interface Trie {
  readonly label: Uint16Array
  readonly firstChild: Int32Array
  readonly sibling: Int32Array
  readonly depth: Int32Array
  readonly ends: Uint8Array
  readonly size: number
}

export class PatternMatcher {
  readonly #ascii = new Uint16Array(ASCII)
  readonly #others = new Map<number, number>()
  #classes = 2
  readonly #skipping: boolean
  readonly #trie: Trie
  readonly #fallback: Int32Array
  /** The length of the longest pattern that ends here; 0: none does. */
  readonly #matched: Int32Array
  readonly #rows: Int32Array
  readonly #rowCount: number
  /** A bit for each three characters in a row near the beginning of a pattern. */
  readonly #grams = new Uint8Array(2 ** (GRAM_BITS - 3))
  /** So many characters lie between those that are sampled. */
  readonly #stride: number

  /**
   * Each pattern has at least three characters. `skipped`: characters of ASCII that do not matter within an occurrence;
   * no pattern may contain any.
   */
  constructor(patterns: readonly string[], { skipped = '' }: { readonly skipped?: string } = {}) {
    this.#skipping = skipped !== ''
    for (const char of skipped) this.#ascii[char.charCodeAt(0)] = SKIP
    for (const pattern of patterns) this.#learnCharacters(pattern)
    this.#trie = breadthFirst(buildTrie(patterns, (code) => this.#classOf(code)))
    this.#fallback = new Int32Array(this.#trie.size)
    this.#matched = new Int32Array(this.#trie.size)
    this.#rowCount = Math.min(this.#trie.size, MAX_ROWS)
    this.#rows = new Int32Array(this.#rowCount * this.#classes)
    this.#link()
    this.#stride = patterns.reduce((least, pattern) => Math.min(least, pattern.length), Infinity) - GRAM + 1
    for (const pattern of patterns) this.#learnGrams(pattern)
  }

  /** Adds every occurrence in `text` to `found`. */
  scan(text: string, found: Span[]): void {
    const cursor: Cursor = { read: 0, node: 0, skipped: 0 }
    const reading = { text, cursor, found }
    // Nothing is begun. What begins from here on within the stride holds the three characters at `place`.
    while (cursor.read < text.length) {
      const place = cursor.read + this.#stride - 1
      const gram = this.#gramAt(text, place)
      if (gram === NO_GRAM || (gram !== ENDS && !hasBit(this.#grams, gram))) cursor.read = place + 1
      else this.#readPast(reading, gram === ENDS ? text.length : place)
    }
  }

  /** Lets the automaton read on until it is past `place` with nothing begun, or at the end. */
  #readPast(reading: Reading, place: number): void {
    const { text, cursor } = reading
    do this.#readUntil(reading, Math.min(text.length, Math.max(place, cursor.read) + 1))
    while (cursor.node !== 0 && cursor.read < text.length)
  }

  #readUntil({ text, cursor, found }: Reading, end: number): void {
    const [ascii, others, matched] = [this.#ascii, this.#others, this.#matched]
    const [rows, rowCount, classes] = [this.#rows, this.#rowCount, this.#classes]
    let { node, skipped } = cursor
    for (let index = cursor.read; index < end; index++) {
      const code = text.charCodeAt(index)
      const kind = code < ASCII ? (ascii[code] ?? FOREIGN) : (others.get(code) ?? FOREIGN)
      if (kind === SKIP) {
        if (node !== 0 && ++skipped > MAX_SKIPPED) node = 0
        continue
      }
      skipped = 0
      // The way of ordinary text; also in #step, but this loop is where the time goes.
      node = node < rowCount ? (rows[node * classes + kind] ?? 0) : this.#step(node, kind)
      const length = matched[node] ?? 0
      if (length > 0) addSpan(found, { start: this.#startOf(text, index + 1, length), end: index + 1 })
    }
    cursor.read = end
    cursor.node = node
    cursor.skipped = skipped
  }

  /** The number of the three characters that count from `place` on; NO_GRAM: one of them stands in no pattern. */
  #gramAt(text: string, place: number): number {
    let gram = 0
    for (let index = place, left = GRAM, skipped = 0; left > 0; index++) {
      if (index >= text.length) return ENDS
      const kind = this.#classOf(text.charCodeAt(index))
      if (kind === FOREIGN) return NO_GRAM
      if (kind === SKIP && this.#skipping) {
        // Nothing goes on behind so many.
        if (++skipped > MAX_SKIPPED) return NO_GRAM
        continue
      }
      skipped = 0
      gram = nextGram(gram, kind)
      left -= 1
    }
    return gram
  }

  /** Goes back from `end` by `length` characters that count. */
  #startOf(text: string, end: number, length: number): number {
    if (!this.#skipping) return end - length
    let start = end
    for (let left = length; left > 0; start--) if (this.#ascii[text.charCodeAt(start - 1)] !== SKIP) left -= 1
    return start
  }

  #learnCharacters(pattern: string): void {
    for (let index = 0; index < pattern.length; index++) {
      const code = pattern.charCodeAt(index)
      if (this.#classOf(code) !== FOREIGN) continue
      if (code < ASCII) this.#ascii[code] = this.#classes++
      else this.#others.set(code, this.#classes++)
    }
  }

  #learnGrams(pattern: string): void {
    for (let offset = 0; offset < this.#stride; offset++) {
      let gram = 0
      for (let index = offset; index < offset + GRAM; index++)
        gram = nextGram(gram, this.#classOf(pattern.charCodeAt(index)))
      setBit(this.#grams, gram)
    }
  }

  #classOf(code: number): number {
    return code < ASCII ? (this.#ascii[code] ?? FOREIGN) : (this.#others.get(code) ?? FOREIGN)
  }

  #step(from: number, kind: number): number {
    const { firstChild, sibling, label } = this.#trie
    let node = from
    while (node >= this.#rowCount) {
      for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0)
        if (label[child] === kind) return child
      node = this.#fallback[node] ?? 0
    }
    return this.#rows[node * this.#classes + kind] ?? 0
  }

  /** Breadth first: a node's fallback is shorter than the node, so it is complete when the node needs it. */
  #link(): void {
    const { firstChild, sibling, label, depth, ends, size } = this.#trie
    for (let node = 0; node < size; node++) {
      const fallback = this.#fallback[node] ?? 0
      const own = (ends[node] ?? 0) === 1 ? (depth[node] ?? 0) : 0
      this.#matched[node] = Math.max(own, this.#matched[fallback] ?? 0)
      const row = node * this.#classes
      if (node > 0 && node < this.#rowCount)
        this.#rows.copyWithin(row, fallback * this.#classes, (fallback + 1) * this.#classes)
      for (let child = firstChild[node] ?? 0; child !== 0; child = sibling[child] ?? 0) {
        const kind = label[child] ?? 0
        this.#fallback[child] = node === 0 ? 0 : this.#step(fallback, kind)
        if (node < this.#rowCount) this.#rows[row + kind] = child
      }
    }
  }
}

function nextGram(gram: number, kind: number): number {
  return ((gram << 6) ^ kind) & (2 ** GRAM_BITS - 1)
}

function setBit(bits: Uint8Array, number: number): void {
  bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7))
}

function hasBit(bits: Uint8Array, number: number): boolean {
  return ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
}

/** Occurrences of one pattern in itself come one after another: they are kept as one. */
function addSpan(found: Span[], span: Span): void {
  const last = found.at(-1)
  const touches = last !== undefined && span.start <= last.end && span.end >= last.end
  if (touches) found[found.length - 1] = { start: Math.min(last.start, span.start), end: span.end }
  else found.push(span)
}

function buildTrie(patterns: readonly string[], classOf: (code: number) => number): Trie {
  const most = patterns.reduce((sum, pattern) => sum + pattern.length, 1)
  const trie = emptyTrie(most)
  let size = 1
  for (const pattern of patterns) {
    let node = 0
    for (let index = 0; index < pattern.length; index++) {
      const kind = classOf(pattern.charCodeAt(index))
      let child = trie.firstChild[node] ?? 0
      while (child !== 0 && trie.label[child] !== kind) child = trie.sibling[child] ?? 0
      if (child === 0) {
        child = size++
        trie.label[child] = kind
        trie.sibling[child] = trie.firstChild[node] ?? 0
        trie.firstChild[node] = child
      }
      node = child
    }
    trie.ends[node] = 1
  }
  return { ...trie, size }
}

function emptyTrie(most: number): Trie {
  const [firstChild, sibling, depth] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)]
  return { label: new Uint16Array(most), firstChild, sibling, depth, ends: new Uint8Array(most), size: 1 }
}

/** The same trie with its nodes numbered level by level, and their depths. */
function breadthFirst(trie: Trie): Trie {
  const sorted = { ...emptyTrie(trie.size), size: trie.size }
  const origin = new Int32Array(trie.size)
  let known = 1
  for (let node = 0; node < trie.size; node++) {
    const from = origin[node] ?? 0
    sorted.ends[node] = trie.ends[from] ?? 0
    for (let child = trie.firstChild[from] ?? 0; child !== 0; child = trie.sibling[child] ?? 0) {
      const number = known++
      origin[number] = child
      sorted.label[number] = trie.label[child] ?? 0
      sorted.depth[number] = (sorted.depth[node] ?? 0) + 1
      sorted.sibling[number] = sorted.firstChild[node] ?? 0
      sorted.firstChild[node] = number
    }
  }
  return sorted
}
