/**
 * A server of its own that keeps one program in the sandbox, to be killed: `<home>`. Prints a line when the program
 * runs.
 */
import { join } from 'node:path'
import { ConfinedPrograms } from '../../src/execution/sandbox/confined-programs.ts'
import { systemClock } from '../../src/platform/clock.ts'

const [home = ''] = process.argv.slice(2)
const programs = new ConfinedPrograms({
  home,
  sandbox: () => ({ available: true, tier: 'bubblewrap' }),
  clock: systemClock,
  onProblem: (message) => console.error(message),
})
const input = { command: 'bash', args: ['-c', '(setsid sleep 300 &) ; echo here; exec sleep 300'], environment: {} }
const program = await programs.start({ ...input, folder: join(home, 'mcp', 'kept'), hasNetwork: false })
program.stdout.pipe(process.stdout)
await program.ended
