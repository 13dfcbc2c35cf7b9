/**
 * 10 commands of a user who works. Data for `hostile-commands.test.ts`: each must do in the sandbox what it does
 * elsewhere.
 */
export interface OrdinaryCommand {
  readonly name: string
  readonly command: string
  /** All that it prints. */
  readonly prints: string
  /** Programs that the machine must have in /usr/bin or /usr/local/bin. */
  readonly needs: readonly string[]
}

export const ORDINARY_COMMANDS: readonly OrdinaryCommand[] = [
  {
    name: 'keeps a git repository',
    command: `git init -q project && cd project && echo hello > file && git add file
git -c user.name=me -c user.email=me@example.org commit -qm first && git log --format=%s && git status --short`,
    prints: 'first\n',
    needs: ['git'],
  },
  {
    name: 'runs JavaScript',
    command: `node -e 'const { writeFileSync } = require("fs"); writeFileSync("out.json", JSON.stringify({ sum: [1, 2, 3].reduce((a, b) => a + b) }))' && cat out.json`,
    prints: '{"sum":6}',
    needs: ['node'],
  },
  {
    name: 'runs a Python script with subprocesses',
    command: `cat > script.py <<'EOF'
import json, subprocess, tempfile
with tempfile.NamedTemporaryFile() as file:
    file.write(b'ten')
print(json.dumps({'out': subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout}))
EOF
/usr/bin/python3 script.py`,
    prints: '{"out": "hi\\n"}\n',
    needs: ['python3'],
  },
  {
    name: 'packs and unpacks',
    command: `mkdir -p tree/deep && echo content > tree/deep/file && tar czf tree.tar.gz tree && rm -rf tree && tar xzf tree.tar.gz && cat tree/deep/file`,
    prints: 'content\n',
    needs: ['tar', 'gzip'],
  },
  {
    name: 'filters text',
    command: `printf 'anna 3\\nbob 5\\nanna 4\\n' | grep -v bob | sed 's/anna/ANNA/' | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | tee /dev/stderr 2>/dev/null`,
    prints: 'ANNA 7\n',
    needs: ['grep', 'sed', 'awk'],
  },
  {
    name: 'runs a script with loops, functions and arrays',
    command: `cat > run.sh <<'EOF'
#!/bin/bash
set -euo pipefail
names=(one two three)
show() { local name; for name in "$@"; do printf '%s;' "\${name^^}"; done; }
show "\${names[@]}"
i=0; while (( i < 3 )); do i=$((i + 1)); done; echo "$i"
EOF
chmod +x run.sh && ./run.sh`,
    prints: 'ONE;TWO;THREE;3\n',
    needs: [],
  },
  {
    name: 'makes and deletes folders in its home',
    command: `mkdir -p build/a/b ~/.cache/x && touch build/a/b/c ~/.cache/x/y && chmod -R 755 build && rm -rf build ./missing "$HOME/.cache" && ls -A && pwd && echo "$HOME"`,
    prints: '/workspace\n/workspace\n',
    needs: [],
  },
  {
    name: 'sorts a large file',
    command: `seq 200000 | awk '{ print ($1 * 7919) % 200003 }' > numbers && sort -n numbers > sorted && head -n 1 sorted && tail -n 1 sorted && wc -l < sorted`,
    prints: '1\n200002\n200000\n',
    needs: ['awk', 'sort'],
  },
  {
    name: 'waits for background jobs',
    command: `for i in 1 2 3; do (sleep 0.0$i; echo "job $i" > job$i) & done; wait; cat job1 job2 job3; kill -0 $$ && echo alive`,
    prints: 'job 1\njob 2\njob 3\nalive\n',
    needs: [],
  },
  {
    name: 'writes a file from a here-document and talks to itself over the network',
    command: `cat > page.txt <<EOF
sum: $((40 + 2))
EOF
perl -MSocket -e '$| = 1; socket(my $server, AF_INET, SOCK_STREAM, 0); bind($server, pack_sockaddr_in(8080, INADDR_LOOPBACK)) && listen($server, 1) or die $!; print "ready\\n"; accept(my $client, $server); open(my $page, "<", "page.txt"); print {$client} <$page>' > log &
until grep -qs ready log; do sleep 0.01; done
cat < /dev/tcp/127.0.0.1/8080; wait; echo done > /dev/stderr`,
    prints: 'sum: 42\ndone\n',
    needs: ['perl', 'cat'],
  },
  {
    name: 'asks for a package, and learns at once that there is no network',
    command: 'npm install left-pad > log 2>&1 || grep -qE "getaddrinfo|ECONNREFUSED|ENETUNREACH" log && echo none',
    prints: 'none\n',
    needs: ['npm', 'grep'],
  },
]
