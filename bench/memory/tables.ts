/** The tables of `npm run bench:memory`, and the page that they are kept in. */
import { WAYS } from '../../test/knowledge/corpus/store.ts'
import { show } from '../figures.ts'
import type { IndexRecall } from './by-index.ts'
import type { JunkRow } from './junk.ts'
import type { Found } from './recall.ts'
import type { SketchRecall } from './sketches.ts'
import { PLACES, type TeamFound } from './team.ts'

/** Of what was not asked for: ''. */
export interface Tables {
  readonly junk: string
  readonly decisions: string
  readonly recall: string
  readonly team: string
  readonly sketches: string
  readonly index: string
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** `junk`: the rows of each seed. */
export function junkTable(junk: readonly (readonly JunkRow[])[], seeds: readonly number[]): string {
  const rows = (junk[0] ?? []).map(({ row, what, before }, at) => [
    String(row),
    what,
    before,
    ...junk.map((one) => one[at]?.now ?? ''),
  ])
  return tableOf(['row', 'what is counted', 'before', ...seeds.map((seed) => `now, seed ${seed}`)], rows)
}

export function recallTable(found: readonly Found[]): string {
  const rows = found.map(({ choice, size, seed, byWay, tokens, medianMs }) => [
    choice,
    String(size),
    String(seed),
    ...WAYS.map((way) => `${byWay[way].at10} · ${byWay[way].at20}`),
    show(tokens),
    show(medianMs),
  ])
  return tableOf(['choice', 'facts', 'seed', ...WAYS, 'tokens', 'ms'], rows)
}

export function teamTable(found: readonly TeamFound[]): string {
  const [first] = found
  if (first === undefined) return ''
  const kinds = [...first.byKind].map(([kind, { asked }]) => [
    kind,
    String(asked),
    ...found.map(({ byKind }) => byKind.get(kind)?.found.join(' · ') ?? ''),
  ])
  const sum = (marks: TeamFound): number[] =>
    PLACES.map((_, at) => [...marks.byKind.values()].reduce((all, { found: of }) => all + (of[at] ?? 0), 0))
  const asked = [...first.byKind.values()].reduce((all, one) => all + one.asked, 0)
  return tableOf(
    ['what is asked', 'questions', ...found.map(({ choice }) => choice)],
    [
      ...kinds,
      ['all', String(asked), ...found.map((marks) => sum(marks).join(' · '))],
      [
        'what no fact answers: facts shown',
        String(first.unanswered.asked),
        ...found.map((one) => String(one.unanswered.shown)),
      ],
      ['facts of others shown', '', ...found.map(({ ofOthers }) => String(ofOthers))],
    ],
  )
}

export function sketchTable(measured: readonly (SketchRecall & { readonly seed: number })[]): string {
  const rows = measured.map(({ size, seed, shares, exactMs }) => [
    String(size),
    String(seed),
    ...shares.map((share) => share.toFixed(3)),
    show(exactMs),
  ])
  return tableOf(['facts', 'seed', '100', '300', '1000', 'exact, ms'], rows)
}

export function indexTable(measured: readonly (IndexRecall & { readonly seed: number })[]): string {
  const rows = measured.map(({ size, seed, exact, index, meanOff, buildMs }) => [
    String(size),
    String(seed),
    exact.share.toFixed(3),
    index.share.toFixed(3),
    show(exact.medianMs),
    show(index.medianMs),
    meanOff.toFixed(2),
    show(buildMs / 1000),
  ])
  const heads = ['facts', 'seed', 'all', 'index', 'all, ms', 'index, ms', 'mean off by', 'build, s']
  return tableOf(heads, rows)
}

export function pageOf({ junk, decisions, recall, team, sketches, index }: Tables, factsShown: number): string {
  return `# Whether a prompt gets the fact that it needs, and what becomes one

Written by \`npm run bench:memory -- --write\`.

## What becomes a fact

Rows are numbered as in the table of what was wrong (issue 15); the first one, retrieval, is the table of what a prompt gets.
The corpus of learnings (test/knowledge/corpus) goes through the inbox and a curator that promotes all that it is shown; no person decides.
"before" are the figures of commit eecbe87, as they were reported then, on another corpus.

${junk}

## What can be decided

A server whose models are stand-ins, taught by messages and asked through the API (bench/memory/taught.ts). "before" again as reported of
commit eecbe87; what it had no way to do at all is 0.

${decisions}

## What a prompt gets

30 needed facts in stores of a team's facts, which share their words
(test/knowledge/corpus), each asked in seven ways: how many of them are among the first ten · the first twenty that are
chosen. "before": the 40 newest texts of each word and the newest facts, 50 of them; "now": at most ${factsShown} that score.
"embedder": the same with \`[models] embedder\` set, to a stand-in over HTTP on the same machine whose synonyms and German are the
corpus' own (test/harness/embeddings-endpoint.ts): it says what the second list brings at best, not how good a model is.
Tokens of the facts in a planner's prompt (characters through four) and milliseconds of a choice are medians. Asked as an admin whose team has
reviewed the store, as an admin's plans are shown of what others taught what a person has reviewed.

${recall}

## What people type

Facts of one company, for everybody, of two projects and two users, and questions as one of these users types them
(test/knowledge/held-out/team): written before what their misses showed was mended, and left as they were written. How many needed facts are among
the first five · ten · twenty. The stand-in for an embedder knows nothing of these words but how they are spelt.

${team}

## What sketches find

Vectors of 1 536 numbers that have most in common, and more with those about the same: which share of the twenty that are nearest to a
question is among the 100, 300 and 1 000 whose sketches are nearest to its own. The last column is what comparing all vectors takes in
the process, where they are in memory.

${sketches}

## What an index of pgvector finds

The same, on a server that has pgvector (with FACTOTUM_TEST_DATABASE_URL): which share of the twenty is among the 300 that comparing all
sketches, and that the index brings, and the median time of the statements with the 300 vectors that they read, by turns. "mean off by": how far the mean of the sample
was from that of all, at most, in standard deviations; the floor of what is near is 2.5 of these above it.

${index}
`
}
