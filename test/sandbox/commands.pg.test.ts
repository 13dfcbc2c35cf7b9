/** The commands of a turn: where and with what they run, what is kept of their output, what ends or stops them. */
import { rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { Lifeline } from '../harness/lifeline.ts'
import { converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { AddParticipantDocument, ServerDocument, TurnDocument } from '../generated/graphql.ts'

const MIB = 1024 * 1024

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

/** The first task of the turn that runs this command for Ada, who is an admin. */
async function runAsAda(sessionId: string, command: string) {
  const { tasks } = await converse(story.as('ada'), sessionId, `run: ${command}`)
  return tasks[0]
}

describe('a command', () => {
  test('finds a clean environment, an empty input, and a home of its own', async () => {
    const task = await runAsAda(
      'cli:clean',
      'env | sort; [[ $HOME == *.home && $PWD == *.admin ]] && echo beside; cat; echo no input',
    )
    const lines = task?.output?.split('\n') ?? []
    const variables = lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
    // PWD, SHLVL and _ are the shell's own; the rest keeps git and Python from running what was fetched.
    const cautious = variables.filter((name) => /^(?:GIT_CONFIG_|PYTHONNOUSERSITE$)/.test(name))
    expect(cautious).toHaveLength(6)
    const others = variables.filter((name) => !cautious.includes(name))
    expect(others.sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'SHLVL', '_'])
    expect(lines).toContain('PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin')
    expect(lines.slice(-3)).toEqual(['beside', 'no input', ''])
  })

  test('finds the files of earlier commands of its session, and not those of others', async () => {
    const { tasks } = await converse(
      story.as('ada'),
      'cli:files',
      'run: echo one > kept.txt\nrun: cat kept.txt; cd /; X=1',
    )
    expect(tasks[1]).toMatchObject({ status: 'DONE', output: 'one\n' })
    expect(await runAsAda('cli:files', 'ls; echo "[$X]"')).toMatchObject({ output: 'kept.txt\n[]\n' })
    expect(await runAsAda('cli:Files', 'ls -A')).toMatchObject({ status: 'DONE', output: '' })
  })

  test('is watched while it runs: what it prints arrives before it ends, each stream apart', async () => {
    const ada = story.as('ada')
    const gate = story.path('gate')
    await send(ada, 'cli:live', `run: echo out; echo err >&2; until [ -e ${gate} ]; do sleep 0.02; done; echo end`)
    await using watch = watchAll(ada, 'cli:live')
    for (const [stream, text] of [
      ['STDOUT', 'out\n'],
      ['STDERR', 'err\n'],
    ]) {
      await watch.until(
        ({ sessionEvents: event }) =>
          event.__typename === 'TaskOutputEvent' && event.stream === stream && event.text === text,
      )
    }
    await writeFile(gate, '')
    const { turnId } = await turnEnd(watch)
    const { turn } = await ada.run(TurnDocument, { id: turnId ?? '' })
    expect(turn?.tasks[0]).toMatchObject({ status: 'DONE', output: 'out\nend\n', stderr: 'err\n', exitCode: 0 })
  })

  test('that fails shows how: its exit code and what it printed', async () => {
    const turn = await converse(story.as('ada'), 'cli:fails', 'run: echo so far; echo no such thing >&2; exit 42')
    expect(turn.tasks[0]).toMatchObject({
      status: 'FAILED',
      exitCode: 42,
      output: 'so far\n',
      stderr: 'no such thing\n',
      review: { verdict: 'REPLAN', reason: expect.stringContaining('42') },
    })
    expect(turn.answers.join('\n')).toContain('no such thing')
  })

  test('may print anything: what is no text is replaced, nothing breaks', async () => {
    const task = await runAsAda(
      'cli:bytes',
      String.raw`printf 'a\0b\377c\355\240\200d'; printf '\342\202'; printf '\254'`,
    )
    expect(task).toMatchObject({ status: 'DONE', exitCode: 0, truncated: false })
    expect(task?.output).toMatch(/^a\uFFFDb\uFFFDc\uFFFD+d€$/)
  })
})

describe('what is kept and how long it runs', () => {
  test('1 MiB of output is kept, the rest is dropped and said to be; the command ends as it would', async () => {
    const ada = story.as('ada')
    const print = `head -c ${MIB} /dev/zero | tr '\\0' x`
    await send(ada, 'cli:much', `run: ${print}; ${print} >&2; ${print}; exit 0`)
    await using watch = watchAll(ada, 'cli:much')
    const { turnId, turnStatus } = await turnEnd(watch)
    expect(turnStatus).toBe('DONE')
    const { turn } = await ada.run(TurnDocument, { id: turnId ?? '' })
    const [task] = turn?.tasks ?? []
    expect(task).toMatchObject({ status: 'DONE', exitCode: 0, truncated: true })
    // Of standard error a sixteenth more: the reason of a failure comes last.
    expect([task?.output?.length, task?.stderr?.length]).toEqual([MIB, MIB / 16])
    // The events tell the same text, and not more.
    const outputs = eventsOf(watch, 'TaskOutputEvent')
    const textOf = (stream: string) =>
      outputs.flatMap((event) => (event.stream === stream ? [event.text] : [])).join('')
    expect([textOf('STDOUT') === task?.output, textOf('STDERR') === task?.stderr]).toEqual([true, true])
  })

  test('exactly 1 MiB is not too much', async () => {
    const task = await runAsAda('cli:exactly', `head -c ${MIB} /dev/zero | tr '\\0' x`)
    expect(task).toMatchObject({ status: 'DONE', truncated: false })
    expect(task?.output).toHaveLength(MIB)
  })

  test('after exec_timeout a command is ended with all that it started, and the task says so', async () => {
    await using lifeline = await Lifeline.open()
    await story.reconfigure(storyConfig({ settings: { exec_timeout: 5 } }))
    const turn = await converse(
      story.as('ada'),
      'cli:slow',
      `run: ${lifeline.hold}; echo begun; setsid sleep 600 & trap '' TERM; sleep 600`,
    )
    await story.reconfigure(storyConfig())
    await lifeline.released
    expect(turn.tasks[0]).toMatchObject({
      status: 'FAILED',
      exitCode: null,
      output: 'begun\n',
      stderr: 'The command was ended: it ran longer than 5 s.',
    })
    expect(turn).toMatchObject({ status: 'DONE', plans: [{}, { attempt: 2 }] })
    expect(turn.answers.at(-1)).toContain('The command was ended: it ran longer than 5 s.')
  })

  test('a process that a command leaves behind ends with the command', async () => {
    await using lifeline = await Lifeline.open()
    const task = await runAsAda('cli:daemon', `${lifeline.hold}; setsid sleep 600 >/dev/null 2>&1 & echo done`)
    expect(task).toMatchObject({ status: 'DONE', output: 'done\n' })
    await lifeline.released
  })
})

// Of the kind that is refused, but harmless, should one of them ever run.
test.each([
  ['rm -rf /does-not-exist/..', 'rm -rf /does-not-exist/..'],
  ['echo x; mkfs.ext4 /dev/does-not-exist', 'mkfs.ext4 /dev/does-not-exist'],
  [':(){ :|:& }', 'the function ":"'],
  ['sudo shutdown --help', 'shutdown --help'],
])(
  'a command that would destroy the machine is not run, for an admin either, and the task explains it: %s',
  async (command, named) => {
    const turn = await converse(story.as('ada'), 'cli:deny', `run: ${command}\nrun: echo never`)
    expect(turn.tasks[0]).toMatchObject({
      status: 'FAILED',
      detail: command,
      output: null,
      exitCode: null,
      stderr: expect.stringMatching(/^The command was not run: .+ would .+\. .+/),
      review: { verdict: 'REPLAN' },
    })
    expect(turn.tasks[0]?.stderr).toContain(named)
    expect(turn.tasks[1]).toMatchObject({ status: 'SKIPPED' })
    expect(turn.answers.join('\n')).toContain('The command was not run')
  },
)

describe('the command of a user who is no admin', () => {
  test('runs confined to its workspace, or not at all: then the task, /ready and "server" say why and what to do', async () => {
    const { sandbox } = (await story.as('ada').run(ServerDocument)).server
    const reach = `cat ${story.path('config.toml')} || echo hidden; (exec 9<>/dev/tcp/${new URL(story.app.url).host.replace(':', '/')}) || echo offline`
    const { tasks } = await converse(story.as('ben'), '@ben:confined', `run: echo $HOME; touch mine; ls; ${reach}`)
    const confined = { status: 'DONE', output: '/workspace\nmine\nhidden\noffline\n' }
    const notAtAll = {
      status: 'FAILED',
      output: null,
      stderr: expect.stringMatching(/^Programs cannot be run here/) as string,
    }
    expect(tasks[0]).toMatchObject(sandbox.available ? confined : notAtAll)
    expect(await readySandbox(story)).toMatchObject({ ok: sandbox.available, required: false })
  })

  test('and that of an admin do not find each other’s files, in a session that they share', async () => {
    const { sandbox } = (await story.as('ben').run(ServerDocument)).server
    await converse(story.as('ada'), 'web:both', 'run: mkdir notes && echo ada > notes/list')
    await story.as('ada').run(AddParticipantDocument, { sessionId: 'web:both', user: 'ben' })
    await converse(story.as('ben'), 'web:both', 'run: mkdir notes && echo ben > notes/list')
    const adas = await converse(story.as('ada'), 'web:both', 'run: cat notes/list; ls')
    expect(adas.tasks[0]).toMatchObject({ status: 'DONE', output: 'ada\nnotes\n' })
    if (!sandbox.available) return
    const bens = await converse(story.as('ben'), 'web:both', 'run: cat notes/list; ls')
    expect(bens.tasks[0]).toMatchObject({ status: 'DONE', output: 'ben\nnotes\n' })
  })

  test('does not run any more once the sandbox breaks, while admins work on', async () => {
    await using broken = await Story.begin()
    // Where the server keeps what every sandbox is built from.
    await rm(broken.path('sandbox'), { recursive: true })
    await writeFile(broken.path('sandbox'), 'no folder')
    const { id, tasks, plans, status, failure } = await converse(broken.as('ben'), '@ben:broken', 'run: touch never')
    const { sandbox } = (await broken.as('ada').run(ServerDocument)).server
    expect(sandbox).toMatchObject({
      available: false,
      reason: expect.stringMatching(/\.$/),
      fix: expect.stringMatching(/\.$/),
    })
    const said = `Programs cannot be run here at the moment; an administrator has to see to it (reference ${id}).`
    expect(tasks[0]).toMatchObject({ status: 'FAILED', output: null, exitCode: null, stderr: said })
    expect({ status, failure, plans }).toMatchObject({ status: 'FAILED', failure: said, plans: [{}] })

    expect(await readySandbox(broken)).toEqual({
      ok: false,
      required: false,
      detail: `commands of users do not run: ${sandbox.reason}`,
      fix: sandbox.fix,
    })
    const { tasks: ofAda } = await converse(broken.as('ada'), 'cli:admin', 'run: echo works')
    expect(ofAda[0]).toMatchObject({ status: 'DONE', output: 'works\n' })
  })
})

/** What /ready says of the sandbox. The server is ready in any case. */
async function readySandbox({ app }: Story): Promise<unknown> {
  const response = await askOperators(app.url, '/ready')
  expect(response.status).toBe(200)
  return ((await response.json()) as { checks: { sandbox: unknown } }).checks.sandbox
}
