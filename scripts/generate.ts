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
if (!existsSync(join(root, 'node_modules/.bin/prisma'))) {
  console.error(
    'factotum: the Prisma CLI is not installed (npm ci without --omit=dev); the generated client is left as it is.',
  )
  process.exit(existsSync(join(root, 'src/generated/prisma')) ? 0 : 1)
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
