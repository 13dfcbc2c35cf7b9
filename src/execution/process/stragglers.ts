/**
 * Ends what a command without a namespace of its own has started: its process group, its descendants, and processes
 * that were started with its HOME, which no other command has at that time. See `launch.ts` for who escapes.
 */
import { findDescendants, findYoungerByEnvironment, isRunning, killProcess } from './process-tree.ts'

/**
 * A process may start another between the search and the kill, so this searches again; a program that only forks loses
 * this race.
 */
const MAX_ROUNDS = 20

/**
 * `pid` led the process group; `home` is the HOME that it was started with. Returns the processes that were found
 * alive.
 */
export function killStragglers(pid: number, home: string): readonly number[] {
  const killed = new Set<number>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    killProcess(-pid)
    const descendants = isRunning(pid) ? [pid, ...findDescendants(pid)] : []
    const found = [...descendants, ...findYoungerByEnvironment(pid, `HOME=${home}`)].filter(isRunning)
    if (found.length === 0) break
    for (const straggler of found) {
      killProcess(straggler)
      killed.add(straggler)
    }
  }
  return [...killed]
}
