/**
 * Makes what is not committed: the Prisma client, the Pothos types and the typed GraphQL documents of the client and the tests. Runs after
 * `npm ci` and before start, demo and test; does nothing when what it reads has not changed since (`--force`: always).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'src/generated/.stamp')
const sources = [
  'prisma/schema.prisma',
  'schema.graphql',
  'codegen.ts',
  'package-lock.json',
  ...filesUnder('src/client/documents'),
  ...filesUnder('test/documents'),
]

const digest = createHash('sha256')
for (const source of sources)
  digest.update(source).update(existsSync(join(root, source)) ? readFileSync(join(root, source)) : '')
const wanted = digest.digest('hex')

if (!process.argv.includes('--force') && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0)
if (!['prisma', 'graphql-codegen'].every((tool) => existsSync(join(root, 'node_modules/.bin', tool)))) {
  const isThere = existsSync(join(root, 'src/generated/prisma'))
  console.error(
    isThere
      ? 'factotum: without the development packages nothing is generated anew; what was generated before is used.'
      : 'factotum: what is generated is missing, and the development packages that make it are not installed. Run "npm ci" first; then ' +
          '"npm ci --omit=dev" may take them away again.',
  )
  // An installation that succeeded is not undone for it; a start without it would fail.
  process.exit(isThere || process.env['npm_lifecycle_event'] === 'postinstall' ? 0 : 1)
}
run('prisma', ['generate'])
if (existsSync(join(root, 'schema.graphql'))) run('graphql-codegen', ['--config', 'codegen.ts'])
mkdirSync(join(root, 'src/generated'), { recursive: true })
writeFileSync(stamp, wanted)

function filesUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => /\.(graphql|ts)$/.test(file))
    .sort()
}

/** Quiet unless it fails: what generators print is of no interest to somebody who starts a server. */
function run(tool: string, args: readonly string[]): void {
  try {
    execFileSync(join(root, 'node_modules/.bin', tool), args, {
      cwd: root,
      stdio: 'pipe',
      env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer }
    console.error(
      `factotum: "${tool} ${args.join(' ')}" failed\n${stdout?.toString() ?? ''}${stderr?.toString() ?? ''}`,
    )
    process.exit(1)
  }
}
