/**
 * Skills in a conversation: who may call which, with what they run, what they can reach, and what ends or refuses them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminWorkspacePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { SkillProblemsDocument, SkillsDocument, ViewerDocument } from '../generated/graphql.ts'
import { addExampleSkill, addSkill } from '../harness/skills.ts'
import { serverProgram } from '../harness/server-program.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { findSandbox, skipReason } from './sandbox-support.ts'

const DEPLOY_SECRET = 'deployed-open-sesame-1'
const OTHER_SECRET = 'deployed-for-another-2'
const HELD_SECRET = 'deployed-open-sesame-5'

const sandbox = await findSandbox()

/** Ben may use some skills; Cleo none. */
function config(ben: readonly string[]): string {
  const skills = `skills = ${JSON.stringify(ben)}`
  return storyConfig().replace('[users.ben]\nrole = "user"\nskills = []', `[users.ben]\nrole = "user"\n${skills}`)
}
const BENS = ['text-stats', 'json-pick', 'spy', 'echo']

/** Says what it was given, and tries its way out. */
const SPY = `
import json, os, pathlib, socket, sys
request = json.load(sys.stdin)
def attempt(action):
    try:
        action()
        return "open"
    except OSError as error:
        return "closed"
def write(path):
    return lambda: pathlib.Path(path).write_text("x")
def read(path):
    return lambda: os.stat(path)
here = str(pathlib.Path(__file__).parent)
print(json.dumps({
    "request": request,
    "environment": dict(os.environ),
    "cwd": os.getcwd(),
    "arguments": sys.argv[1:],
    "own folder": attempt(write(here + "/mark")),
    "workspace": attempt(write(os.getcwd() + "/mark")),
    "outside": [attempt(read(path)) for path in request["args"]["paths"].split()],
    "network": attempt(lambda: socket.create_connection(("127.0.0.1", request["args"]["port"]), 2)),
}))
print("to stderr", file=sys.stderr)
`
const SPY_MANIFEST = `
session_secrets = ["api_token"]
[kiso.skill.args]
paths = { type = "string", default = "" }
port = { type = "int", default = 1 }
[kiso.skill.env]
deploy-key = { required = true }
`

let story: Story
beforeAll(async () => {
  story = await Story.begin({
    environment: { KISO_SKILL_SPY_DEPLOY_KEY: DEPLOY_SECRET, FACTOTUM_SKILL_OTHER_KEY: OTHER_SECRET },
  })
  addExampleSkill(story.home, 'text-stats')
  addExampleSkill(story.home, 'json-pick')
  addSkill(story.home, 'spy', { manifest: SPY_MANIFEST, files: { 'run.py': SPY } })
  addSkill(story.home, 'echo', {
    manifest: 'run = "bin/echo"\n',
    files: { 'bin/echo': '#!/bin/sh\nsleep 0.1\ncat /dev/stdin\n' },
  })
  await story.reconfigure(config(BENS))
})
afterAll(() => story[Symbol.asyncDispose]())

/** The command lines of all processes, as soon as one of them holds `text`. */
async function waitForProcess(text: string): Promise<string[]> {
  for (;;) {
    const lines = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? readOrEmpty(`/proc/${pid}/cmdline`) : []))
    if (lines.some((line) => line.includes(text))) return lines
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended meanwhile
  }
}

const spied = (output: string | null | undefined) => JSON.parse(output ?? 'null') as Record<string, never>

describe('the catalog', () => {
  test('shows everybody the skills that they may use, with the schema of their arguments', async () => {
    const { skills } = await story.as('ben').run(SkillsDocument)
    expect(skills.map(({ name }) => name)).toEqual(['echo', 'json-pick', 'spy', 'text-stats'])
    expect(skills[1]).toMatchObject({
      version: '1.0.0',
      summary: expect.stringContaining('Picks a value'),
      argsSchema: {
        type: 'object',
        properties: { path: { type: 'string' }, task: { type: 'integer' } },
        required: ['path'],
        additionalProperties: false,
      },
    })
    expect(await story.as('cleo').run(SkillsDocument)).toEqual({ skills: [] })
    expect((await story.as('bridge').run(ViewerDocument)).viewer.allowedSkills).toEqual([])
    expect((await story.as('ben').run(ViewerDocument)).viewer.allowedSkills).toEqual([...BENS].sort())
  })

  test('sees at once what is put there; what is broken or half installed hurts no other, and admins are told why', async () => {
    const ada = story.as('ada')
    const before = (await ada.run(SkillsDocument)).skills.length
    const added = addSkill(story.home, 'added', { files: { 'run.js': '' } })
    const broken = addSkill(story.home, 'broken', { manifest: '[kiso.skill.args]\nx = 3', files: { 'run.py': '' } })
    expect((await ada.run(SkillsDocument)).skills.map(({ name }) => name)).toHaveLength(before + 1)
    expect(await ada.run(SkillProblemsDocument)).toEqual({
      skillProblems: [
        { folder: 'broken', message: 'kiso.toml: kiso.skill.args.x must be a table with a type; it is 3.' },
      ],
    })
    expect((await story.as('ben').request(SkillProblemsDocument)).errors[0]?.extensions).toEqual({ code: 'FORBIDDEN' })
    writeFileSync(`${added}/.installing`, '')
    rmSync(broken, { recursive: true })
    expect((await ada.run(SkillsDocument)).skills).toHaveLength(before)
    expect(await ada.run(SkillProblemsDocument)).toEqual({ skillProblems: [] })
    rmSync(added, { recursive: true })
  })
})

describe('a skill for an admin', () => {
  test('gets its arguments with defaults filled in; its output is reviewed and told', async () => {
    const turn = await converse(story.as('ada'), 'cli:stats', 'skill: text-stats {"text": "to be or not to be"}')
    expect(turn.tasks[0]).toMatchObject({
      type: 'SKILL',
      skill: 'text-stats',
      args: { text: 'to be or not to be', top: 5 },
      status: 'DONE',
      exitCode: 0,
      review: { verdict: 'OK' },
    })
    expect(JSON.parse(turn.tasks[0]?.output ?? '')).toMatchObject({
      words: 6,
      top: [{ word: 'to', count: 2 }, {}, {}, {}],
    })
    expect(turn.answers.at(-1)).toContain('"words": 6')
  })

  test('finds the session, its workspace and its secrets in its input and its environment, and nothing else', async () => {
    const turn = await converse(story.as('ada'), 'cli:spy', 'skill: spy')
    const workspace = adminWorkspacePath(story.home, 'cli:spy')
    // What it was given is a secret in its output.
    expect(spied(turn.tasks[0]?.output)).toMatchObject({
      request: { args: { paths: '', port: 1 }, session: 'cli:spy', workspace, session_secrets: {}, plan_outputs: [] },
      cwd: workspace,
      arguments: [],
      'own folder': 'closed',
      workspace: 'open',
    })
    expect(turn.tasks[0]?.stderr).toBe('to stderr\n')
    const names = Object.keys(spied(turn.tasks[0]?.output)['environment'] ?? {})
    expect(names.filter((name) => !/^(?:GIT_CONFIG_|PYTHONNOUSERSITE$|PIP_|npm_config_)/.test(name)).sort()).toEqual([
      'FACTOTUM_SKILL_SPY_DEPLOY_KEY',
      'HOME',
      'KISO_SKILL_SPY_DEPLOY_KEY',
      'LANG',
      'PATH',
      'PWD',
      'SHLVL',
    ])
    expect(JSON.stringify(turn)).not.toContain(DEPLOY_SECRET)
  })
})

describe.skipIf(!sandbox.available)(`a skill for a user${skipReason(sandbox)}`, () => {
  test('is as confined as a command: it reaches its workspace, and reads its own folder', async () => {
    const other = adminWorkspacePath(story.home, 'cli:of-ada')
    await converse(story.as('ada'), 'cli:of-ada', 'run: touch private')
    writeFileSync(story.path('.env'), 'X_KEY=1\n', { mode: 0o644 })
    const paths = [story.path('.env'), story.path('config.toml'), other, story.path('skills'), '/root', '/work'].join(
      ' ',
    )
    const port = Number(new URL(story.app.url).port)
    const turn = await converse(story.as('ben'), '@ben:ben', `skill: spy ${JSON.stringify({ paths, port })}`)
    expect(turn.tasks[0]).toMatchObject({ status: 'DONE', stderr: 'to stderr\n' })
    expect(spied(turn.tasks[0]?.output)).toMatchObject({
      request: { session: '@ben:ben', workspace: '/workspace' },
      cwd: '/workspace',
      'own folder': 'closed',
      workspace: 'open',
      outside: paths.split(' ').map(() => 'closed'),
      network: 'closed',
    })
    expect(existsSync(story.path('skills/spy/mark'))).toBe(false)
  })

  test('may be any executable, and may open its input by name', async () => {
    const turn = await converse(story.as('ben'), '@ben:echo', 'skill: echo')
    expect(turn.tasks[0]).toMatchObject({ status: 'DONE', args: {}, stderr: '' })
    expect(JSON.parse(turn.tasks[0]?.output ?? '')).toMatchObject({ args: {}, session: '@ben:echo' })
  })

  test('runs in JavaScript as well', async () => {
    const json = JSON.stringify({ items: [{ name: 'first' }] })
    const turn = await converse(
      story.as('ben'),
      '@ben:js',
      `skill: json-pick ${JSON.stringify({ json, path: 'items.0.name' })}`,
    )
    expect(turn.tasks[0]).toMatchObject({ status: 'DONE', output: 'first\n' })
  })

  test('is not told how to read a folder that is closed to its account, but the admin is', async () => {
    const folder = addSkill(story.home, 'closed', { files: { 'run.py': 'print(1)' } })
    await story.reconfigure(config([...BENS, 'closed']))
    if (process.geteuid?.() !== 0) return // without root, skills run as the owner of the folder
    const { chmodSync } = await import('node:fs')
    chmodSync(folder, 0o700)
    const turn = await converse(story.as('ben'), '@ben:closed', 'skill: closed')
    expect(turn.tasks[0]).toMatchObject({ status: 'FAILED', stderr: expect.stringContaining('chmod -R a+rX') })
    rmSync(folder, { recursive: true })
    // The sandbox has not been given up for it.
    expect((await converse(story.as('ben'), '@ben:closed', 'run: echo on')).tasks[0]).toMatchObject({ status: 'DONE' })
  })
})

test("a skill that an admin's command installs is there for the next message", async () => {
  const main = await serverProgram()
  const example = fileURLToPath(new URL('../../examples/skills/text-stats', import.meta.url))
  rmSync(story.path('skills/text-stats'), { recursive: true })
  const install = `${process.execPath} ${main} skill install ${example}`
  const { tasks } = await converse(story.as('ada'), 'cli:install', `run: ${install}`)
  expect(tasks[0]).toMatchObject({ status: 'DONE', stderr: '', output: expect.stringContaining(story.path('skills')) })
  const turn = await converse(story.as('ada'), 'cli:install', 'skill: text-stats {"text": "one two"}')
  expect(turn.tasks[0]).toMatchObject({ status: 'DONE' })
})

describe('secrets', () => {
  test('what a person said reaches the skill that declares the key, hidden everywhere else', async () => {
    const secret = 'said-open-sesame-3'
    await converse(story.as('ada'), 'cli:secret', `secret: api_token=${secret}\nsecret: other_token=said-for-nobody-4`)
    const turn = await converse(
      story.as('ada'),
      'cli:secret',
      'skill: spy\nrun: cat .factotum-outputs/list.json; cat mark',
    )
    expect(spied(turn.tasks[0]?.output)['request']).toMatchObject({ session_secrets: { api_token: '[REDACTED]' } })
    expect(JSON.stringify(turn)).not.toContain(secret)
    const listed = readFileSync(`${adminWorkspacePath(story.home, 'cli:secret')}/.factotum-outputs/list.json`, 'utf8')
    expect(listed).toContain('[REDACTED]')
    expect(listed).not.toContain(secret)
  })

  test.skipIf(process.platform !== 'linux')(
    'those of the deployment stand on no command line while the skill runs',
    async () => {
      addSkill(story.home, 'holds', {
        manifest: '[kiso.skill.env]\nkey = {}',
        files: { 'run.py': 'import pathlib, time\nwhile not pathlib.Path("go").exists():\n    time.sleep(0.02)\n' },
      })
      await writeFile(story.path('.env'), `KISO_SKILL_HOLDS_KEY=${HELD_SECRET}\n`, { mode: 0o600 })
      const ada = story.as('ada')
      await send(ada, 'cli:holds', 'skill: holds')
      await using watch = watchAll(ada, 'cli:holds')
      await watch.until(
        ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING',
      )
      const running = await waitForProcess('holds/run.py')
      expect(running.filter((line) => line.includes(HELD_SECRET))).toEqual([])
      writeFileSync(`${adminWorkspacePath(story.home, 'cli:holds')}/go`, '')
      await turnEnd(watch)
    },
  )

  test('one that is required and not set fails the task; people are told whom to ask, not what is missing', async () => {
    const folder = addSkill(story.home, 'needy', {
      manifest: '[kiso.skill.env]\nkey = { required = true }',
      files: { 'run.py': '' },
    })
    const turn = await converse(story.as('ada'), 'cli:needy', 'skill: needy')
    expect(turn.tasks[0]).toMatchObject({
      status: 'FAILED',
      output: null,
      stderr: `The skill is not set up completely; an administrator has to see to it (reference ${turn.id}).`,
    })
    rmSync(folder, { recursive: true })
  })
})

describe('what may not run', () => {
  test('a call that breaks the schema is refused before anything runs', async () => {
    const turn = await converse(story.as('ada'), 'cli:wrong', 'run: touch ran\nskill: json-pick {"paht": "x"}')
    expect(turn.tasks.map(({ type }) => type)).toEqual(['MSG'])
    expect(turn.answers.at(-1)).toContain('there is no argument "paht"')
    expect(existsSync(`${adminWorkspacePath(story.home, 'cli:wrong')}/ran`)).toBe(false)
  })

  test('a skill that the user may not use is none that a plan can call', async () => {
    const turn = await converse(story.as('cleo'), '@cleo:cleo', 'skill: text-stats {"text": "x"}')
    expect(turn.tasks.map(({ type }) => type)).toEqual(['MSG'])
    expect(turn.answers.at(-1)).toContain('"text-stats", which is not among those that may be used here')
  })

  test('a skill that is taken away while the plan runs fails its task, and the rest is cancelled', async () => {
    addSkill(story.home, 'gone', { files: { 'run.py': 'print(1)' } })
    const remove = `rm -r ${story.path('skills/gone')}`
    const turn = await converse(story.as('ada'), 'cli:gone', `run: ${remove}\nskill: gone\nrun: echo never`)
    expect(turn).toMatchObject({ status: 'FAILED', failure: expect.stringContaining('no longer installed') })
    expect(turn.tasks.map(({ status }) => status).slice(0, 4)).toEqual(['DONE', 'FAILED', 'CANCELLED', 'CANCELLED'])
    expect(turn.tasks[1]?.stderr).toContain('no longer installed')
  })

  describe.skipIf(!sandbox.available)(`a user who may no longer use it${skipReason(sandbox)}`, () => {
    test('finds the task failed', async () => {
      const ben = story.as('ben')
      await send(
        ben,
        '@ben:withdrawn',
        'run: echo begun; until [ -e go ]; do sleep 0.02; done\nskill: text-stats {"text": "x"}',
      )
      await using watch = watchAll(ben, '@ben:withdrawn')
      await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
      await story.reconfigure(config([]))
      writeFileSync(`${workspacePath(story.home, '@ben:withdrawn')}/go`, '')
      const { turnStatus, failure } = await turnEnd(watch)
      await story.reconfigure(config(BENS))
      expect({ turnStatus, failure }).toEqual({
        turnStatus: 'FAILED',
        failure: 'Task 2 was not run: the user ben may no longer use the skill "text-stats".',
      })
    })
  })

  test('a skill that fails or takes too long is reviewed like a command', async () => {
    addSkill(story.home, 'fails', { files: { 'run.py': 'import sys\nprint("so far")\nsys.exit("no such thing")' } })
    addSkill(story.home, 'slow', { files: { 'run.py': 'import time\ntime.sleep(600)' } })
    const failed = await converse(story.as('ada'), 'cli:fails', 'skill: fails')
    expect(failed.tasks[0]).toMatchObject({
      status: 'FAILED',
      exitCode: 1,
      output: 'so far\n',
      stderr: 'no such thing\n',
      review: { verdict: 'REPLAN' },
    })
    await story.reconfigure(storyConfig({ settings: { exec_timeout: 1 } }))
    const slow = await converse(story.as('ada'), 'cli:slow-skill', 'skill: slow')
    await story.reconfigure(config(BENS))
    expect(slow.tasks[0]).toMatchObject({
      status: 'FAILED',
      stderr: 'The skill was ended: it ran longer than 1 s.',
    })
  })
})

describe('outputs of earlier tasks', () => {
  test('commands find them in a file, skills in their input, both in the order of the plan', async () => {
    const turn = await converse(
      story.as('ada'),
      'cli:chain',
      'run: echo \'{"town": "Bari"}\'\nskill: json-pick {"task": 1, "path": "town"}\nrun: cat .factotum-outputs/list.json',
    )
    expect(turn.tasks[1]).toMatchObject({ status: 'DONE', output: 'Bari\n' })
    expect(JSON.parse(turn.tasks[2]?.output ?? '')).toMatchObject([
      { index: 1, type: 'exec', detail: expect.any(String), output: '{"town": "Bari"}\n', status: 'done', file: null },
      { index: 2, type: 'skill', output: 'Bari\n', status: 'done', file: null },
    ])
  })

  test('a long one stands whole in a file, so that nothing a later task needs is cut off', async () => {
    const items = Array.from({ length: 20_000 }, (_, number) => `"n${number}"`).join(',')
    addSkill(story.home, 'much', { files: { 'run.py': `print('[${items}]')` } })
    const turn = await converse(
      story.as('ada'),
      'cli:long',
      'skill: much\nskill: json-pick {"task": 1, "path": "19999"}\nrun: wc -c < .factotum-outputs/*.txt; ls .factotum-outputs',
    )
    expect(turn.tasks[1]).toMatchObject({ status: 'DONE', output: 'n19999\n' })
    expect(turn.tasks[2]?.output).toBe(`${turn.tasks[0]?.output?.length}\nlist.json\n${turn.tasks[0]?.id}.txt\n`)
  })

  test('so does a long standard error', async () => {
    const turn = await converse(
      story.as('ada'),
      'cli:stderr',
      'run: seq 1000 >&2\nrun: tail -n 1 .factotum-outputs/*.stderr.txt',
    )
    expect(turn.tasks[1]).toMatchObject({ status: 'DONE', output: '1000\n' })
  })

  test('a new turn finds none of the last one', async () => {
    await converse(story.as('ada'), 'cli:fresh', 'run: seq 1000\nrun: echo second')
    const turn = await converse(story.as('ada'), 'cli:fresh', 'run: ls -A')
    expect(turn.tasks[0]).toMatchObject({ output: '' })
  })

  test('a new attempt finds the long outputs of the one before, and its own list', async () => {
    const turn = await converse(
      story.as('ada'),
      'cli:again',
      'run: seq 1000\nrun: cat .factotum-outputs/list.json; tail -n 1 .factotum-outputs/*.txt\nfail: again',
    )
    const [first, second] = [turn.plans[0]?.tasks ?? [], turn.plans[1]?.tasks ?? []]
    expect(first[0]).toMatchObject({ status: 'DONE' })
    expect(second[0]?.output).toBe('[]1000\n')
  })

  describe.skipIf(!sandbox.available)(`of a hostile session${skipReason(sandbox)}`, () => {
    test('do not lead the server out of the workspace', async () => {
      const target = story.path('outside')
      mkdirSync(target, { recursive: true })
      const turn = await converse(
        story.as('ben'),
        '@ben:hostile',
        `run: ln -s ${target} .factotum-outputs; seq 1000\nrun: cat .factotum-outputs/*.txt | tail -n 1; ls -A .factotum-outputs | wc -l`,
      )
      expect(turn.tasks[1]).toMatchObject({ status: 'DONE', output: '1000\n2\n' })
      expect(readdirSync(target)).toEqual([])
    })
  })
})
