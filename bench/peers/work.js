/**
 * What every peer is given: where the model and the database are, a system prompt as long as ours, and two tools, of
 * which one runs a command and one says that its output was looked at.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)

export const modelUrl = process.env.MODEL_URL
/** Undefined: all is kept in memory. */
export const databaseUrl = process.env.PEER_DATABASE_URL

export const systemPrompt = ['ground-rules', 'assistant/prompt']
  .map((name) => readFileSync(new URL(`../../src/agents/${name}.md`, import.meta.url), 'utf8'))
  .join('\n')

export const tools = [
  { name: 'exec', description: 'Runs a command.', schema: z.object({ command: z.string() }) },
  {
    name: 'review',
    description: 'Says whether the output is what was wanted.',
    schema: z.object({ status: z.string() }),
  },
]

export async function runTool(name, { command }) {
  if (name !== 'exec') return 'noted'
  // As in the floor: a bash that reads no ~/.bashrc.
  return (await run('/bin/bash', ['--norc', '-c', command])).stdout
}

/** Tells the bench where the server listens. */
export function ready(url) {
  console.log(`ready at ${url}`)
}
