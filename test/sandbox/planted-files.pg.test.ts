/**
 * A participant of role USER leaves files in the session's workspace that shells, git, interpreters and tools run by
 * themselves. An admin's commands in the same session, and an admin's skill, must run none of them: they have the
 * server's rights.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { findSandbox, skipReason } from './sandbox-support.ts'
import { AddParticipantDocument, OpenSessionDocument } from '../generated/graphql.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, Story } from '../harness/story.ts'

const sandbox = await findSandbox()
const SESSION = 'web:planted'

/**
 * What runs the payload `$P`, which makes the file `$M`, with the rights of who falls for it, and a command that would.
 */
const TRIES: readonly (readonly [name: string, plant: string, act: string])[] = [
  ['git, by the home', 'printf "[core]\\n fsmonitor = $P\\n" > .gitconfig', 'git init -q r; cd r; git status'],
  ['git, by a repository', 'git init -q . ; git config core.fsmonitor "$P"', 'git status'],
  [
    'git, by a bare repository',
    'git init -q --bare b; for s in "bare false" "worktree ." "fsmonitor $P"; do git -C b config core.${s%% *} "${s#* }"; done',
    'cd b; git status',
  ],
  [
    'git, by a hook',
    'git init -q .; printf "#!/bin/sh\\n$P\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    'git -c user.name=a -c user.email=a@b commit -qm x --allow-empty',
  ],
  ['bash, as a login', 'for f in .bash_profile .bash_login .profile; do echo "$P" > $f; done', 'bash -lc true'],
  ['bash, by a terminal', 'echo "$P" > .bashrc', 'bash -ic true'],
  [
    'python, by the user site',
    'for v in 3.9 3.10 3.11 3.12 3.13; do d=.local/lib/python$v/site-packages; mkdir -p $d; ' +
      'echo "import os; os.system(\\"$P\\")" | tee $d/usercustomize.py > $d/x.pth; done',
    'python3 -c "print(1)"',
  ],
  [
    'python, by the folder',
    'echo "import os; os.system(\\"$P\\")" | tee json.py > sitecustomize.py',
    'python3 -c "import json"',
  ],
  ['curl', 'echo "output = $M" > .curlrc', 'curl -s file:///etc/passwd'],
  ['npm, by a script', 'echo "{\\"scripts\\":{\\"test\\":\\"$P\\"}}" > package.json', 'npm test'],
  ['make', 'printf "all:\\n\\t$P\\n" > Makefile', 'make'],
  ['the folder for programs', 'mkdir -p bin node_modules/.bin; echo "$P" | tee bin/ls > ls; chmod +x ls bin/ls', 'ls'],
  ['vim', 'echo ":silent !$P" > .vimrc', 'vim +q < /dev/null'],
]

describe.skipIf(!sandbox.available)(`files that a user has planted${skipReason(sandbox)}`, () => {
  let story: Story
  /** Outside of every sandbox: a mark in it was made by a process with the server's rights. */
  let outside: string
  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'factotum-planted-'))
    chmodSync(outside, 0o777)
    story = await Story.begin()
    const ada = story.as('ada')
    await ada.run(OpenSessionDocument, { input: { id: SESSION } })
    await ada.run(AddParticipantDocument, { sessionId: SESSION, user: 'ben' })
    const program =
      'import subprocess\nfor line in ["git status", "bash -lc true", "make", "npm test"]: subprocess.run(line.split())\n'
    addSkill(story.home, 'inspect', { files: { 'run.py': program } })
  })
  afterAll(async () => {
    await story[Symbol.asyncDispose]()
    rmSync(outside, { recursive: true })
  })

  afterEach(() => {
    for (const name of readdirSync(outside)) rmSync(join(outside, name))
  })

  async function plant(command: string): Promise<void> {
    const turn = await converse(
      story.as('ben'),
      SESSION,
      `run: M='${join(outside, 'mark')}'; P="touch $M"; ${command}; ls -A | wc -l`,
    )
    expect(must(turn.tasks[0], 'a command')).toMatchObject({ status: 'DONE' })
  }

  test.each(TRIES)('%s: an admin does not run them', async (_name, planted, act) => {
    await plant(planted)
    const turn = await converse(story.as('ada'), SESSION, `run: ${act}`)
    expect(must(turn.tasks[0], 'a command').exitCode).not.toBeNull()
    expect(readdirSync(outside)).toEqual([])
  })

  test('nor does a skill of an admin', async () => {
    for (const [, planted] of TRIES) await plant(planted)
    const turn = await converse(story.as('ada'), SESSION, 'skill: inspect')
    expect(must(turn.tasks[0], 'a skill')).toMatchObject({ status: 'DONE' })
    expect(readdirSync(outside)).toEqual([])
  })
})
