/** Runs the commands of one page as a reader does who follows it: one shell, one folder, one after the other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Story } from '../harness/story.ts'
import type { Run } from './shell-rules.ts'

/** What the pages name of the checkout that they are read in. */
const OF_THE_CHECKOUT = ['bin', 'examples', 'node_modules', 'package.json', 'scripts', 'src', 'deploy']

/** What a step waits for has come by then, or does not come. */
const LIMIT_MS = 120_000

/** A page begins without what another one installed. `npx factotum` without npx, which takes a second. */
const PRELUDE = `set -m
rm -rf "$FACTOTUM_HOME/skills"
npx() { shift; node "$CHECKOUT/bin/factotum.js" "$@"; }
ended() { printf '%s' "$2" > "$OUT/$1.code"; }
`

interface Step {
  readonly command: string
  readonly how: Run
}

interface Printed {
  readonly text: string
  readonly exitCode: number
}

interface Place {
  readonly story: Story
  readonly token: string
  /** Of this page alone. */
  readonly folder: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

/** What each step printed, in order. Fewer than steps: the shell itself ended. */
export async function runPage(steps: readonly Step[], { story, token, folder, files }: Place): Promise<Printed[]> {
  for (const name of OF_THE_CHECKOUT) await symlink(resolve(name), join(folder, name))
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const out = join(folder, '.out')
  await mkdir(out)
  const inputs = steps.map(({ how }, n) => writeFile(join(out, `${n}.in`), how.input ?? ''))
  await Promise.all(inputs)
  const lines = steps.map(({ command, how }, n) => scriptOf(filled(command, how, { story, token, folder }), how, n))
  await writeFile(join(out, 'page.sh'), PRELUDE + lines.join('\n'))
  const child = spawn('bash', [join(out, 'page.sh')], {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      CHECKOUT: resolve('.'),
      OUT: out,
      FACTOTUM_HOME: story.home,
      FACTOTUM_URL: story.app.url,
      FACTOTUM_TOKEN: token,
      TOKEN: token,
      DATABASE_URL: story.databaseUrl,
      PORT: '0',
    },
    stdio: 'inherit',
    signal: AbortSignal.timeout(LIMIT_MS),
    killSignal: 'SIGKILL',
  })
  await once(child, 'exit') // rejects when it took too long
  const printed = steps.map(async (_, n) => ({
    text: await readFile(join(out, `${n}.out`), 'utf8').catch(() => ''),
    exitCode: Number(await readFile(join(out, `${n}.code`), 'utf8').catch(() => NaN)),
  }))
  return Promise.all(printed)
}

function filled(command: string, { change = [] }: Run, place: Pick<Place, 'story' | 'token' | 'folder'>): string {
  const { url } = place.story.app
  const changed = change.reduce((text, [from, to]) => text.replace(from, to), command)
  return changed
    .replaceAll(/https:\/\/(?:here|there|factotum)\.example/g, url)
    .replaceAll(/(?:http:\/\/)?(?:127\.0\.0\.1|localhost):4000/g, url)
    .replaceAll('postgresql://user:password@host:5432/factotum', place.story.databaseUrl)
    .replaceAll('postgresql://user:password@host1:5432,host2:5432/factotum', twoHosts(place.story.databaseUrl))
    .replaceAll('/var/lib/copy', join(place.folder, 'copy'))
    .replaceAll('FACTOTUM_TOKEN=…', `FACTOTUM_TOKEN=${place.token}`)
}

/** The first of them is away. */
function twoHosts(databaseUrl: string): string {
  return databaseUrl.replace(/@([^/]+)/, '@127.0.0.1:1,$1')
}

/** In the shell itself: what a command defines holds for those that follow. */
function scriptOf(command: string, { goesOn, prints, again }: Run, n: number): string {
  const ways = `< "$OUT/${n}.in" > "$OUT/${n}.out" 2>&1`
  const expected = quoted(prints?.source ?? '')
  if (goesOn === true) {
    return `{ ${command}
} ${ways} &
until grep -Pq ${expected} "$OUT/${n}.out" || ! kill -0 %% 2>/dev/null; do sleep 0.1; done
kill -TERM %%; wait %%; ended ${n} 0`
  }
  const once = `{ ${command}
} ${ways}; ended ${n} $?`
  return again === true ? `until ${once}; grep -Pq ${expected} "$OUT/${n}.out"; do sleep 0.2; done` : once
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
