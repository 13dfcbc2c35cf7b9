/** Reads its environment, files outside and the network, as far as it can; and leaves a process behind. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { serve, say, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('look'), tool('eat')] }),
  'tools/call': ({ id, params }) => {
    if (params.name === 'eat') {
      for (const kept: Buffer[] = []; ;) kept.push(Buffer.alloc(50_000_000, 1))
    }
    spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref()
    const { path, port } = params.arguments as { path: string; port: number }
    const report = (network: string): void =>
      say({
        id,
        result: text(
          JSON.stringify({
            environment: process.env,
            sees: existsSync(path),
            folder: readdirSync('.').toSorted(),
            network,
          }),
        ),
      })
    connect(port, '127.0.0.1', () => report('open')).on('error', () => report('closed'))
    return undefined
  },
})
