/** Runs the conformance checks that the project of the Model Context Protocol publishes. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What they print, whether they pass or not. */
export async function conform(...args: readonly string[]): Promise<string> {
  const program = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
  const ended = await run(process.execPath, [program, ...args]).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return `${ended.stdout}\n${ended.stderr}`
}
