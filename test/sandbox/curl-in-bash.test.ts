/**
 * The spellings of a denied program run it in a real bash, with a curl that says so, where their tools are there: a
 * spelling that runs nothing proves nothing. And what bash runs of lines at random is met by the rule.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeRequest, type ApprovalPolicy } from '../../src/core/approval-policy.ts'
import { readCommands } from '../../src/execution/shell/read-commands.ts'
import { rounds } from '../harness/rounds.ts'
import { SPELLINGS } from './curl-lines.ts'
import { isExecutable, runAll } from './curl-runs.ts'

const DENY_CURL: ApprovalPolicy = {
  fallback: 'ALLOW',
  rules: [{ effect: 'DENY', command: ['curl'], task: null, skill: null, role: null }],
  ownUserMayDecide: false,
  plansWithStrangers: true,
}

function isDenied(line: string): boolean {
  const request = { type: 'EXEC', role: 'USER', commands: readCommands(line) } as const
  return judgeRequest(DENY_CURL, request, []).effect === 'DENY'
}

test('what bash runs of any line is met', async () => {
  const lines = fc.sample(fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 9 }), RANDOM_LINES)
  const texts = lines.map((pieces) => `${pieces.join('')}${pieces.join('').includes('curl') ? '' : 'curl x'}`)
  // One that certainly runs it: how many of the random lines do is chance.
  const ran = await runAll(['curl x', ...texts])
  expect(ran).toContain('curl x')
  expect([...ran].filter((line) => !isDenied(line))).toEqual([])
})

test('each spelling really runs it, where its tools are there', async () => {
  const lines = SPELLINGS.filter((line) => toolsOf(line).every(isInstalled))
  expect(lines.length).toBeGreaterThan(150)
  const ran = await runAll(lines)
  expect(lines.filter((line) => !ran.has(line))).toEqual([])
})

/** Everything that means something to bash. No loops without end. */
const PIECES: readonly string[] = [
  'curl|curl x| | |;|&|&&|"|`|$(|)|(|{ | }|; }|\\| #|$|${|}|${x:-|$((|))|((|[[ | ]]|<(|<<<|>f|2>&1|&>f|x=|echo |: |eval ',
  'if |; then |; fi|case x in |x)|;;| esac|for i in 1|; do |; done|f()|f|! |time |$"|{a,|a[|]|=|*|~|"$x"|!(|$[|then|in ',
  'coproc |function f |{fd}>|command |exec |\\"|\\`',
]
  .flatMap((pieces) => pieces.split('|'))
  .concat('|', '||', '|&', "'", "\\'", "$'", '\n', '\t', '\\\n', '<<E\n', '\nE\n', "<<'E'\n", '<<-E\n\t')
const RANDOM_LINES = rounds(60, 200)

const OFTEN_THERE = `
  awk base64 choom chrt find flock git ionice linux64 make node perl prlimit python3 rev runuser
  script sed setarch setpriv setsid sort split stdbuf su tar taskset timeout unshare xargs
`
  .trim()
  .split(/\s+/)
const FOR_ROOT = new Set(['runuser', 'su', 'unshare'])

function toolsOf(line: string): readonly string[] {
  return OFTEN_THERE.filter((tool) => new RegExp(String.raw`(?:^|\W)${tool}(?:$|\W)`).test(line))
}

function isInstalled(tool: string): boolean {
  return isExecutable(tool) && (process.geteuid?.() === 0 || !FOR_ROOT.has(tool))
}
