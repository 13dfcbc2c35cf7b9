/** docs/performance.md: what costs what. Every figure is one of bench/README.md, found by the words of its line. */
import { readFileSync } from 'node:fs'

const bench = readFileSync('bench/README.md', 'utf8')
const lines = bench.slice(bench.indexOf('## Figures')).split('\n')
const rows = new Map(
  lines
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, what = '', ...figures]) => [what, figures] as const),
)

/** What is written there under "ours". Throws when there is no such line, or nothing in it. */
function figure(what: string): string {
  const found = rows.get(what)?.[0] ?? ''
  if (found === '') throw new Error(`bench/README.md has no figure "${what}"`)
  return found
}

const measured = /^(\d{4}-\d\d-\d\d), ([^\n]*)\n/m.exec(bench.slice(bench.indexOf('## Figures')))

/** Markdown, not yet formatted. */
export function performancePage(): string {
  return `# Performance

What costs what, and how to measure it on a machine of your own. This page is written from [bench/README.md](../bench/README.md), which says how each
figure was measured, with what beside it, and what dominates: \`npx vitest run test/documentation --update\`. Most are of ${measured?.[1] ?? ''}, ${(measured?.[2] ?? '').replace(/, whose speed.*/, '')};
a machine of another speed has other ones, so take the ratios from there, and your own figures from your machine.

## Of one process

| what | figure |
| --- | --- |
| from a message to its final answer, without the model's time, ms, six runs | ${figure('(a) message to final answer, ms, one session')} |
| turns per second, 50 sessions at a time, six runs | ${figure('(b) turns per second, 50 sessions × 4 messages')} |
| processor time of the server for a turn, ms | ${figure('(b) the same, CPU of the server, ms per turn')} |
| processor time of PostgreSQL for a turn, ms | ${figure('(b) the same, CPU of PostgreSQL, ms per turn')} |
| disk for a turn with a command, kB, without the write-ahead log | ${figure('(b) the same, disk, kB per turn, without the write-ahead log')} |
| memory of the server after that, MB | ${figure('(b) the same, memory of the server afterwards, MB')} |
| messages accepted per second, one at a time / 16 / 64 at once | ${figure('(e) sendMessage per second, one at a time / 16 / 64 at once')} |
| events delivered per second, one session to 1 000 subscribers | ${figure('(d) 1 × 1 000')} |
| events delivered per second, 1 000 sessions to one subscriber each | ${figure('(d) 1 000 × 1')} |
| from a commit in another process to 1 000 subscribers, ms | ${figure('(d) commit in another process to 1 000 subscribers, ms')} |
| memory of an idle subscriber, kB, 5 000 of one session / of 5 000 | ${figure('(g) idle subscriber, kB, 5 000 of one session / of 5 000 sessions')} |
| memory of an idle session, kB | ${figure('(g) idle session, kB')} |
| webhook posts per second, 64 sessions, 8 hosts | ${figure('(h) webhook posts per second, 64 sessions, 8 hosts')} |
| the first page of 100 000 sessions, an admin's, ms | ${figure('(f) `sessions(first: 50)` of 100 000, admin, ms')} |

A turn of these is a plan with one command and one text, with a model that answers at once: real models take seconds, in which a process waits and
computes nothing. So what bounds a process is not how long models take but how many turns end per second.

## What grows, and what does not

- A turn costs the same in an old session: at message 100 / 1 000 / 10 000 it took ${figure('(i) at message 100 / 1 000 / 10 000')} ms, at the first
  ${figure('(i) message to final answer at message 1, ms')}. With 1 000 / 100 000 facts it took ${figure('(i) with 1 000 / 100 000 facts')} ms, with ten ${figure('(i) with 10 facts, ms')}.
- Lists are read by indexes: of 100 000 sessions, ${figure('(k) lists of sessions, whole and by 19 filters, ms')} ms.
- What was said is searched without an index, for a second at most in each request: a user in 50 sessions waits 45 ms for a page of hits, and 266 ms
  where there is none; an admin goes through millions of texts in many requests ([figures](../bench/README.md#searching-what-was-said)).
- A session with many subscribers costs less for each: an event is executed once for all that select the same and may see the same.
- Rows stay until [retention](operations.md#retention) is set. Size the disk by the turns of the time that you keep, and as much again for PostgreSQL's
  write-ahead log and dead rows.
- Secrets are searched for in every text that leaves; with many of them that is what large outputs cost.
- A plugin is called at each of its hooks: ten that do nothing make a turn slower by what bench/README.md says under (n).

## Sizing a deployment

- **Processor.** Turns per second × the processor time of a turn, of server and PostgreSQL together, is how many cores are busy; plan for half of them.
  What commands and skills compute comes on top.
- **Memory.** The server's own, and subscribers × that of an idle one. Commands of users may take 512 MiB each, in the sandbox; how many run is bounded
  by \`max_concurrent_turns\`.
- **Connections.** Those that \`factotum doctor\` counts, for each process; \`max_connections\` of PostgreSQL must hold them all, and those of one more while you
  replace a process.
- **Disk.** See above; workspaces and uploaded files lie in FACTOTUM_HOME, within [quotas](operations.md#files-budgets-quotas-audit).
- **More processes** help where the processor of one is used up, and when one dies. They share one database, so measure that first.

## On your own machine

\`npm run bench\` in a checkout measures all of it in about 15 minutes, \`npm run bench -- --only a,b --quick\` the first two parts; \`npm run bench:console\`
measures the console in a browser. A server in use tells by itself: \`/metrics\` has how old queue and outbox are, how long models take, and the
pool's connections ([operations.md](operations.md#figures-and-alerts)).
`
}
