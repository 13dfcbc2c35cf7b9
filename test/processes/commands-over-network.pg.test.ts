/** The commands of the terminal over the network, as processes with `--url` and a token, with no home of a server. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { serverProgram } from '../harness/server-program.ts'
import { converse, tokenOf } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const APPROVALS = { toml: '[[approvals.rules]]\neffect = "require"\ncommand = "touch"\n' }

interface Ended {
  readonly code: number | null
  readonly printed: string
  readonly said: string
}

/** `until`: what is shown when the command, which would go on for ever, is interrupted. */
async function run(env: NodeJS.ProcessEnv, words: string, until?: RegExp): Promise<Ended> {
  const child = spawn(process.execPath, [await serverProgram(), ...words.split(' ')], { env, stdio: 'pipe' })
  child.stdin.end()
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    printed += piece
    if (until?.test(printed) === true) child.kill('SIGINT')
  })
  const said = text(child.stderr)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, printed, said: await said }
}

test('each asks and changes a server elsewhere; those that only work where it runs say so', async () => {
  await using cluster = await Cluster.begin({ config: APPROVALS })
  const server = await cluster.start()
  const { url } = server
  await using here = await createTemporaryHome()
  // A home without a server, and the address of none: whatever is answered comes from `--url`.
  const place = { FACTOTUM_HOME: here.path, FACTOTUM_URL: 'http://127.0.0.1:9' }
  const env = { PATH: process.env['PATH'], ...place, FACTOTUM_TOKEN: tokenOf('ada') }
  const factotum = (words: string, until?: RegExp): Promise<Ended> => run(env, `${words} --url ${url}`, until)

  const [asked, waits, user, fact, backup] = await Promise.all([
    factotum('ask --json --session cli:asked run: echo over the network'),
    factotum('ask --session cli:waits run: touch x'),
    factotum('users add eve'),
    factotum('facts add The kettle is green'),
    factotum('backup all.backup'),
  ])
  expect(JSON.parse(asked.printed)).toMatchObject({ sessionId: 'cli:asked', status: 'DONE', failure: null })
  expect(waits).toMatchObject({ code: 3, said: expect.stringContaining('It waits for an approval: touch x') })
  expect(user).toMatchObject({ code: 0, printed: expect.stringContaining('Added the user "eve".') })
  expect(fact).toMatchObject({ code: 0, printed: expect.stringMatching(/^fact_\w+\n$/) })
  expect(backup).toMatchObject({
    code: 2,
    said: expect.stringMatching(
      /^factotum: "factotum backup" works on the machine of the server alone, .*: run it there/,
    ),
  })

  await converse(clientOf(server, 'ben'), '@ben:notes', 'run: echo noted\nlearn: The shop opens at nine.')
  const id = /factotum approve (\S+)/.exec(waits.said)?.[1] ?? ''
  const [approved, sessions, tail, facts, learnings, review, token, secrets] = await Promise.all([
    factotum(`approve ${id} --note fine`),
    factotum('sessions'),
    factotum('tail cli:asked --after 0 --json', /TurnCompletedEvent/),
    factotum('facts kettle'),
    factotum('learnings'),
    factotum('learnings review'),
    factotum('tokens add eves --user eve'),
    factotum('secrets list'),
  ])
  expect(approved).toMatchObject({ code: 0, printed: 'Approved.\n' })
  expect(sessions.printed).toMatch(/^cli:asked /m)
  expect(tail.printed).toMatch(/^{.*"MessageReceivedEvent".*}$/m)
  expect(facts.printed).toContain('The kettle is green')
  expect(learnings.printed).toContain('The shop opens at nine.')
  expect(review).toMatchObject({ code: 1, said: expect.stringContaining('asks a person; in a pipe, use') })
  expect(token).toMatchObject({ code: 0, printed: expect.stringMatching(/^\S{20,}\n$/) })
  expect(secrets.code).toBe(0)

  const asEve = { ...env, FACTOTUM_TOKEN: token.printed.trim() }
  const [users, tokens, refused] = await Promise.all([
    factotum('users'),
    factotum('tokens'),
    run(asEve, `users --url ${url}`),
  ])
  expect(users.printed).toMatch(/^eve +USER +API/m)
  expect(tokens.printed).toMatch(/^eves +USER +eve /m)
  expect(refused).toMatchObject({ code: 1, printed: '', said: expect.stringMatching(/^factotum: \S/) })
})
