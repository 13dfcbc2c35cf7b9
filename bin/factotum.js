#!/usr/bin/env node
/**
 * The command `factotum`, in plain JavaScript that any Node from 18 on reads: runs `cli` under Node 24, in this process
 * where this is one. Else the Node of the package "node" takes this process over, or, before Node 22.15, runs as its
 * child, to which signals and from which the exit code is passed on. `src/main.ts` is a link to this file, because an
 * older Node cannot read TypeScript at all.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 24
const [dist, src] = ['dist', 'src'].map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)))
const isRelease = !existsSync(join(src, 'cli.ts'))
const isBuilt = existsSync(join(dist, 'cli.js')) && (isRelease || isNewerThanSources())
const cli = isBuilt ? join(dist, 'cli.js') : join(src, 'cli.ts')

if (majorOf(process.versions.node) >= NEEDED) await runHere()
else runWith(packagedNode())

/**
 * Whether dist/ was made since the last change in src/: what the sources say now is what counts. `npm start` makes it
 * anew where it was not (scripts/generate.ts), and a development server that watches runs the sources.
 */
function isNewerThanSources() {
  const made = Math.max(...['cli.js', '.stamp', '.server-stamp'].map((name) => changeOf(join(dist, name))))
  const sources = readdirSync(src, { recursive: true }).filter((name) => /\.tsx?$/.test(name))
  return sources.every((name) => changeOf(join(src, name)) <= made)
}

/** Milliseconds since 1970; 0 where the file is not there. */
function changeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

async function runHere() {
  try {
    await import(pathToFileURL(cli).href)
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
    fail(`it is not installed whole (${String(error.message).split('\n')[0]}). Run "npm ci" in its folder`)
  }
}

/** The Node 24 that is installed beside the other packages; null when it is not there, or is none. */
function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json')
    const file = join(dirname(manifest), 'bin', 'node')
    return majorOf(JSON.parse(readFileSync(manifest, 'utf8')).version) >= NEEDED && existsSync(file) ? file : null
  } catch {
    return null
  }
}

function runWith(node) {
  if (node === null) {
    const hint = `run it with Node ${NEEDED}, or let "npm ci" install the package "node" (with its install script)`
    return fail(`this is Node ${process.versions.node}, and Node ${NEEDED} or later is needed: ${hint}`)
  }
  const args = [cli, ...process.argv.slice(2)]
  if (typeof process.execve === 'function') {
    process.removeAllListeners('warning') // users cannot act on Node's warning that execve is experimental
    process.execve(node, [node, ...args], process.env)
  }
  const env = { ...process.env, FACTOTUM_LAUNCHER: String(process.pid) }
  const child = spawn(node, args, { stdio: 'inherit', env })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${node} does not start: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function fail(reason) {
  console.error(`factotum: ${reason}.`)
  process.exitCode = 1
}

function majorOf(version) {
  return Number.parseInt(version, 10)
}
