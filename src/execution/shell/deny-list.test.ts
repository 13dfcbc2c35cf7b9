import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { explainRefusal } from './deny-list.ts'

const REFUSED = [
  'rm -rf /',
  'rm -fr /',
  'rm -r -f /',
  'rm / -rf',
  'rm --recursive --force /',
  'rm --recurs /',
  'rm -rf -- /',
  'rm -rf --no-preserve-root /',
  'rm -rf //',
  'rm -rf /.',
  'rm -rf /*',
  'rm -rf /usr/..',
  'rm -rf /{*,.*}',
  'rm -rf build /',
  'rm -rf ~',
  'rm -rf ~/',
  'rm -rf ~/*',
  'rm -rf ~/..',
  'rm -rf $HOME',
  'rm -rf "$HOME"',
  'rm -rf "${HOME}"/*',
  'rm -rf ${HOME:?}/',
  '/bin/rm -rf /',
  String.raw`\rm -rf /`,
  String.raw`r\m -rf /`,
  `'rm' -rf "/"`,
  String.raw`rm -rf $'\x2f'`,
  'rm -rf \\\n/',
  'sudo rm -rf /',
  'sudo -u root -E rm -rf /',
  'env -i A=1 rm -rf /',
  'A=1 B=2 rm -rf /',
  'nice -n 10 nohup rm -rf /',
  'timeout -k 1 10 rm -rf /',
  'xargs rm -rf / < list',
  'exec rm -rf /',
  'echo hi; rm -rf /',
  'true && rm -rf /',
  'false || rm -rf /',
  'echo hi | rm -rf /',
  'sleep 1 & rm -rf /',
  'echo hi\nrm -rf /',
  'if true; then rm -rf /; fi',
  'for d in a b; do rm -rf /; done',
  '{ rm -rf /; }',
  '(rm -rf /)',
  'echo $(rm -rf /)',
  'echo "$(rm -rf /)"',
  'echo `rm -rf /`',
  'echo "${x:-$(rm -rf /)}"',
  'diff <(rm -rf /) a',
  "echo $(( '$(rm -rf /)' ))",
  'bash -c "rm -rf /"',
  `sh -lc 'rm -rf /'`,
  `bash -o pipefail -c 'rm -rf /'`,
  `su root -c 'rm -rf /'`,
  `bash -c "bash -c 'rm -rf ~'"`,
  'eval rm -rf /',
  `trap 'rm -rf /' EXIT`,
  'bash <<EOF\nrm -rf /\nEOF',
  `sh <<'EOF'\nrm -rf /\nEOF`,
  'cat <<EOF\n$(rm -rf /)\nEOF',
  'bash <<< "rm -rf /"',
  'cd / && rm -rf *',
  'cd ~; rm -rf .',
  'find / -delete',
  'cd / && find -delete',
  'find / -exec /bin/rm -rf {} +',
  'find ~ -type f -exec rm {} +',
  'chmod -R 777 /',
  'chmod -R u-w ~',
  'chown -R nobody /',
  'chgrp --recursive users "$HOME"',
  'mkfs /dev/sdb',
  'mkfs.ext4 -F /dev/sdb1',
  'dd if=/dev/zero of=/dev/sda bs=1M',
  'dd of=//dev/./sda if=x',
  'cat image > /dev/sdb',
  'echo x >> /dev/mem',
  'tee /dev/nvme0n1 < image',
  'cp image /dev/sdb',
  'shred /dev/sda',
  'echo b > /proc/sysrq-trigger',
  'shutdown -h now',
  'sudo reboot',
  'poweroff',
  'halt',
  'init 0',
  'systemctl --force reboot',
  ':(){ :|:& };:',
  ':(){ : | : & }; :',
  'bomb() {\n  bomb | bomb &\n}\nbomb',
  'function b { b & b & }; b',
  'echo \0',
  'echo \uD800',
  `echo ${'x'.repeat(100_001)}`,
  `${'$('.repeat(100)}rm -rf /`,
]

const ALLOWED = [
  'rm -rf build',
  'rm -rf ./x',
  'rm -rf ../other/build',
  'rm -rf *',
  'rm -rf "$HOME/build"',
  'rm -rf ~/.cache',
  'rm -rf /tmp/x',
  'rm -rf /usr/../tmp/x',
  'rm -f /tmp/x /',
  'rm -rf "$DIR"',
  'rm -rf $(pwd)/build',
  `rm -rf '~'`,
  `rm -rf '$HOME'`,
  String.raw`rm -rf \~`,
  'echo rm -rf /',
  'echo "rm -rf /"',
  `echo 'it; rm -rf /'`,
  'git commit -m "rm -rf / is bad; reboot"',
  'grep -r shutdown src',
  '# rm -rf /',
  'ls # && rm -rf /',
  'cat > notes.md <<EOF\nrm -rf /\nreboot\nEOF\nls',
  `cat > run.sh <<'EOF'\n$(rm -rf /)\nEOF`,
  'cat <<-EOF\n\tmkfs\n\tEOF\nls',
  'cd / && ls',
  'cd / && rm -rf tmp/x',
  'cd / && cd /workspace && rm -rf *',
  'dd if=a of=b',
  'dd if=/dev/zero of=/dev/null count=1',
  'echo x > /dev/null 2>&1',
  'echo x > /dev/stderr',
  'exec 3<>/dev/tcp/127.0.0.1/80',
  'cp /dev/urandom sample',
  'chmod -R 755 src',
  'chmod 755 /',
  'chown -R me:me ./src',
  'find . -delete',
  'find ~ -name "*.pyc" -delete',
  'find / -name passwd',
  'systemctl status reboot.target',
  'python3 -c "import shutil; print(1)"',
  'node -e "console.log(1)"',
  'fact() { [ $1 -lt 2 ] || fact $(($1 - 1)); }; fact 5',
  'serve() { echo a | cat & }; serve',
  'for f in *; do echo "${f%.txt}"; done',
  'case $x in a) echo 1 ;; *) echo 2 ;; esac',
  '[[ a > b ]] || true',
  'echo $((1 + (2 * 3)))',
  '',
  '   ',
  '\\',
  'echo "unfinished',
  "echo 'unfinished",
  'echo $(unfinished',
  'echo `unfinished',
  'cat <<EOF',
]

describe('the deny list', () => {
  test.each(REFUSED)('refuses %j', (command) => {
    expect(explainRefusal(command)).toMatch(/^The command was not run: /)
  })

  test.each(ALLOWED)('lets pass %j', (command) => {
    expect(explainRefusal(command)).toBeNull()
  })

  test('names the command, what it would do and what is allowed', () => {
    expect(explainRefusal('make && sudo rm -rf "$HOME"')).toBe(
      'The command was not run: "sudo rm -rf ~" would delete a whole machine or home. ' +
        'Name what you want to delete, for example: rm -rf ./build',
    )
  })
})

const root = fc.constantFrom(
  '/',
  '//',
  '/*',
  '/.',
  '~',
  '~/',
  '~/*',
  '$HOME',
  '${HOME}',
  '"$HOME"',
  '"${HOME}/"',
  "'/'",
  '/a/..',
)
const flags = fc.constantFrom('-rf', '-fr', '-r -f', '-R', '--recursive --force', '-vrf', '--force -r')
const before = fc.constantFrom(
  '',
  'sudo ',
  'env X=1 ',
  'nohup nice -n 5 ',
  'X=1 ',
  'time ',
  '\\',
  '/bin/',
  'then ',
  '! ',
)
const around = fc.constantFrom<(command: string) => string>(
  (command) => command,
  (command) => `true && ${command}`,
  (command) => `echo "a b" 'c' | cat; ${command} # done`,
  (command) => `x="$(${command})"`,
  (command) => `(cd a && ${command}) || true`,
  (command) => `if [ -d a ]; then\n  ${command}\nfi`,
  (command) => `bash <<'END'\n${command}\nEND\necho`,
)
const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,12}$/)

describe('the deny list, however it is written', () => {
  test('finds a recursive rm of a root', () => {
    fc.assert(
      fc.property(fc.record({ root, flags, before, around }), ({ root, flags, before, around }) => {
        expect(explainRefusal(around(`${before}rm ${flags} ${root}`))).not.toBeNull()
      }),
    )
  })

  test('lets the same pass on a name', () => {
    const target = fc
      .tuple(fc.constantFrom('', './', '../', '/tmp/', '~/', '"$HOME"/', '/*/'), name)
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.record({ target, flags, before, around }), ({ target, flags, before, around }) => {
        expect(explainRefusal(around(`${before}rm ${flags} ${target}`))).toBeNull()
      }),
    )
  })

  test('never fails and never hangs, whatever the text', () => {
    const shellish = fc.constantFrom(
      ...Array.from('$(){}[]<>|&;"\'`\\~/*#!= \n\t'),
      '$(',
      '${',
      '<<EOF\n',
      '<<<',
      'HOME',
      'rm',
      '-rf',
      'é',
      '\u2028',
      '\v',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(shellish, fc.string({ unit: 'binary' })), { maxLength: 60 }), (parts) => {
        expect(explainRefusal(parts.join(''))).toSatisfy(
          (reason: unknown) => reason === null || typeof reason === 'string',
        )
      }),
      { numRuns: rounds(400, 2_000) },
    )
  })

  test.each(['$(', '"$(', '`', '${', '(', '<(', '{ ', '<<a\n', "'", 'f() { ', '~', '\\'])(
    'reads 100 kB of %j',
    (part) => {
      const text = part.repeat(Math.floor(99_000 / part.length))
      expect(explainRefusal(text)).toSatisfy((reason: unknown) => reason === null || typeof reason === 'string')
    },
  )

  test.each(['.', '../', '.a', '.path='])('reads 99 kB of %j as a setting of git', (part) => {
    const text = part.repeat(Math.floor(99_000 / part.length))
    expect([explainRefusal(`git -c ${text}`), explainRefusal(`git config ${text}`)]).toEqual([null, null])
  })

  test('reads what many shells are given only so often, however they stand in each other', () => {
    const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
    const inMany = (text: string): string => `find x ${'-exec find x '.repeat(9)}-exec bash -c ${quoted(text)} \\;`
    expect(explainRefusal(inMany('true'))).toBeNull()
    expect(explainRefusal(inMany('rm -rf /'))).toContain('would delete a whole machine')
    expect(explainRefusal(inMany(inMany(inMany(inMany('true')))))).toContain('too deeply')
  })

  test('reads a script as long as a command may be, also in two others', () => {
    const long = `: ${'x'.repeat(99_000)}`
    expect(explainRefusal(`bash -c "bash -c '${long}; rm -rf /'"`)).toContain('would delete a whole machine')
  })
})
