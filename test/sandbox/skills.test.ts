/**
 * Skills as the turn runs them, for every role: their input, their secrets, their folder, and that nothing of them
 * stays.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSkill, type SkillFiles } from '../harness/skills.ts'
import type { CommandOutcome, SkillInput } from '../../src/execution/command.ts'
import { createCommandRunner, type CommandService } from '../../src/execution/run-command.ts'
import { scanSkills } from '../../src/execution/skills/skill-catalog.ts'
import type { InstalledSkill } from '../../src/execution/skills/skill-folder.ts'
import { adminWorkspacePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { must } from '../../src/platform/must.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'

const SESSION = 'cli:skills'
const sandbox = await findSandbox()

const WAYS = [
  { name: 'an ADMIN with bubblewrap', role: 'ADMIN', options: {}, skipped: skipReason(sandbox), holds: true },
  { name: 'an ADMIN without bubblewrap', role: 'ADMIN', options: { bubblewrapPaths: [] }, skipped: '', holds: false },
  { name: 'a USER in the sandbox', role: 'USER', options: {}, skipped: skipReason(sandbox), holds: true },
] as const

for (const { name, role, options, skipped, holds } of WAYS) {
  describe.skipIf(skipped !== '')(`a skill of ${name}${skipped}`, () => {
    let home: string
    let service: CommandService
    beforeAll(async () => {
      home = createTestHome()
      const logger = createLogger({ level: 'silent', pretty: false })
      service = await createCommandRunner({ home, logger, clock: systemClock, ...options })
      service.allowUntil(FOREVER_MS)
    })
    afterAll(async () => {
      await service.stop()
      rmSync(home, { recursive: true, force: true })
    })

    function add(files: SkillFiles): string {
      rmSync(join(home, 'skills'), { recursive: true, force: true })
      return addSkill(home, 'x', files)
    }

    function find(): InstalledSkill {
      return must(scanSkills(home).skills.get('x'), 'a skill that works')
    }

    /** The skill that was added last. */
    function call(input: Partial<SkillInput> = {}): Promise<CommandOutcome> {
      return service.runner.runSkill({
        sessionId: SESSION,
        taskId: 'task_1',
        skill: input.skill ?? find(),
        args: {},
        sessionSecrets: {},
        environment: {},
        outputs: { entries: [], files: [], isFirstOfTurn: true },
        role,
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        onOutput: () => {},
        ...input,
      })
    }

    function workspaceOf(at: string): string {
      return role === 'ADMIN' ? adminWorkspacePath(at, SESSION) : workspacePath(at, SESSION)
    }

    function run(files: SkillFiles, input: Partial<SkillInput> = {}): Promise<CommandOutcome> {
      add(files)
      return call(input)
    }
    const python = (text: string): SkillFiles => ({ files: { 'run.py': text } })

    test('reads one JSON object, whole, however long', async () => {
      const text = 'ü'.repeat(500_000)
      const outcome = await run(
        python('import json, sys\nr = json.load(sys.stdin)\nprint(len(r["args"]["text"]), r["session"], sorted(r))'),
        { args: { text } },
      )
      const keys = "['args', 'plan_outputs', 'session', 'session_secrets', 'workspace']"
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: `500000 ${SESSION} ${keys}\n`, stderr: '' })
    })

    test('may open its input by name, late', async () => {
      const script = '#!/bin/sh\nsleep 0.1\ncat /dev/stdin > copy\nwc -c < copy\n'
      const outcome = await run({ manifest: 'run = "bin/x"', files: { 'bin/x': script } }, { args: { n: 1 } })
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: expect.stringMatching(/^\s*\d\d+\n$/) })
    })

    test('may end without reading it', async () => {
      const outcome = await run(python('print("done")'), { args: { text: 'x'.repeat(1_000_000) } })
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'done\n' })
    })

    test('is JavaScript for the Node of the server, where the sandbox can see it', async () => {
      const outcome = await run(
        {
          files: {
            'run.js':
              'const input = JSON.parse(require("fs").readFileSync("/dev/stdin")); console.log(input.args.a + 1)',
          },
        },
        { args: { a: 1 } },
      )
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: '2\n' })
    })

    test('imports what lies beside it, in its own Python if it has one', async () => {
      const folder = add({
        files: {
          'run.py': 'import beside, sys\nprint(beside.WORD, sys.prefix)',
          'beside.py': 'WORD = "near"',
          '.venv/pyvenv.cfg': 'home = /usr/bin\n',
          '.venv/bin/.keep': '',
        },
      })
      expect(await call()).toMatchObject({ stdout: 'near /usr\n' })
      symlinkSync('/usr/bin/python3', join(folder, '.venv/bin/python'))
      expect(await call()).toMatchObject({ stdout: expect.stringMatching(/^near \/.*\/\.venv\n$/) })
    })

    test('finds its secrets in its environment, beside PATH, HOME and LANG', async () => {
      const outcome = await run(
        python(
          'import os\nprint(sorted(name for name in set(os.environ) - {"PWD", "SHLVL", "_", "PYTHONNOUSERSITE"} if not name.startswith(("GIT_CONFIG_", "PIP_", "npm_"))), os.environ["KISO_SKILL_X_KEY"])',
        ),
        { environment: { KISO_SKILL_X_KEY: "it's $HOME" } },
      )
      // Without bubblewrap its mark is how it is found.
      const mark = holds ? '' : "'FACTOTUM_OWNER', "
      expect(outcome).toMatchObject({ stdout: `[${mark}'HOME', 'KISO_SKILL_X_KEY', 'LANG', 'PATH'] it's $HOME\n` })
    })

    // What a command has left there may be anybody's, and a skill may hold secrets and be an admin's.
    test('runs nothing that lies in the workspace, and has a home of its own', async () => {
      const workspace = workspaceOf(home)
      await run(python('print()'))
      const site = must(
        /[\d.]+/
          .exec(execFileSync('python3', ['--version'], { encoding: 'utf8' }))?.[0]
          .split('.')
          .slice(0, 2)
          .join('.'),
        'Python tells its version',
      )
      const packages = `.local/lib/python${site}/site-packages`
      const shell = 'echo STRAY; echo STRAY >&2\n'
      const files = {
        ...Object.fromEntries(['.bashrc', '.bash_profile', '.profile', '.bash_login'].map((name) => [name, shell])),
        [`${packages}/usercustomize.py`]: 'print("STRAY")',
        [`${packages}/stray.pth`]: 'import sys; print("STRAY")',
        '.node_modules/stray/index.js': 'console.log("STRAY")',
        'json.py': 'print("STRAY")',
        'node_modules/stray/index.js': 'console.log("STRAY")',
      }
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(workspace, name)), { recursive: true })
        writeFileSync(join(workspace, name), text)
      }
      const skills: readonly SkillFiles[] = [
        python('import json, os\nprint(sorted(os.listdir(os.environ["HOME"])))'),
        {
          files: {
            'run.js':
              'try { require("stray") } catch {}\nconsole.log(JSON.stringify(require("fs").readdirSync(process.env.HOME)))',
          },
        },
        { manifest: 'run = "bin/x"', files: { 'bin/x': '#!/bin/bash\nbash -c "echo [\\$(ls -A \\"\\$HOME\\")]"\n' } },
      ]
      for (const skill of skills)
        expect(await run(skill)).toMatchObject({ kind: 'exited', exitCode: 0, stdout: '[]\n', stderr: '' })
    })

    test.runIf(holds)('cannot write into its folder', async () => {
      const outcome = await run(python('import pathlib\n(pathlib.Path(__file__).parent / "mark").write_text("x")'))
      expect(outcome).toMatchObject({
        kind: 'exited',
        exitCode: 1,
        stderr: expect.stringContaining('Read-only file system'),
      })
      expect(existsSync(join(home, 'skills/x/mark'))).toBe(false)
    })

    test('is not run while it is updated, nor once it is removed, and says so', async () => {
      const folder = add(python('print("ran")'))
      const skill = find()
      const refused = { kind: 'refused', reason: expect.stringContaining('The skill "x" was not run') }
      writeFileSync(join(folder, '.installing'), '1\n')
      expect(await call({ skill })).toMatchObject(refused)
      rmSync(folder, { recursive: true })
      expect(await call({ skill })).toMatchObject(refused)
    })

    test.each([
      ['#!/usr/bin/env no-such-ruby', 'no-such-ruby'],
      ['#!/usr/bin/env -S no-such-ruby -w', 'no-such-ruby'],
      ['#! /usr/bin/no-such-ruby -w', '/usr/bin/no-such-ruby'],
    ])('whose %j is not installed names it, and what to do', async (line, program) => {
      expect(await run({ manifest: 'run = "bin/x"', files: { 'bin/x': `${line}\nputs 1\n` } })).toEqual({
        kind: 'refused',
        reason: `The skill "x" was not run: it is run by ${program}, which is not in /usr on the server. The operator installs it there.`,
      })
    })

    test('whose Python is gone with an update of the system says how to make it anew', async () => {
      const folder = add(python('print(1)'))
      mkdirSync(join(folder, '.venv/bin'), { recursive: true })
      symlinkSync('/usr/bin/python2.0', join(folder, '.venv/bin/python'))
      expect(await call()).toEqual({ kind: 'refused', reason: expect.stringContaining('factotum skill update x') })
    })

    test('ends with everything that it started when it is cancelled', async () => {
      const abort = new AbortController()
      const outcome = run(
        python(
          'import subprocess, time\nsubprocess.Popen(["sleep", "600"], start_new_session=True)\nprint("begun", flush=True)\ntime.sleep(600)',
        ),
        { signal: abort.signal, onOutput: () => abort.abort() },
      )
      expect(await outcome).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: 'begun\n' })
    })

    test('finds the outputs of earlier tasks in its input, and a command after it in a file', async () => {
      const entry = { index: 1, type: 'exec', detail: 'ls', output: 'a\n', status: 'done', file: null } as const
      const outputs = { entries: [entry], files: [], isFirstOfTurn: false }
      const outcome = await run(
        python(
          'import json, sys\nprint(json.load(sys.stdin)["plan_outputs"][0]["output"], open(".factotum-outputs/list.json").read())',
        ),
        { outputs },
      )
      expect(outcome).toMatchObject({ stdout: `a\n ${JSON.stringify([entry], null, 2)}\n` })
      await service.runner.saveOutput({ sessionId: SESSION, role, path: '.factotum-outputs/task_1.txt', text: 'whole' })
      expect(readFileSync(join(workspaceOf(home), '.factotum-outputs/task_1.txt'), 'utf8')).toBe('whole')
    })
  })
}
