/** What is wrong with a configuration, said so that the reader knows which key to change and to what. */
import { AppError } from '../core/errors.ts'

export interface ConfigProblem {
  /** The key, as `["users", "anna", "skills"]`; empty: the whole file. */
  readonly path: readonly string[]
  /** What is wrong and what would be right, without the key. */
  readonly text: string
  /** Where in the file, from 1; null when unknown. */
  readonly line: number | null
}

/** A problem before its line is known. */
export type FoundProblem = Omit<ConfigProblem, 'line'>

/** `line 12, users.anna.skills: is missing; it must be …` */
export function describeProblem(problem: ConfigProblem): string {
  const place = problem.line === null ? '' : `line ${problem.line}`
  const key = problem.path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join('.')
  const where = [place, key].filter((part) => part !== '').join(', ')
  return where === '' ? problem.text : `${where}: ${problem.text}`
}

/** CONFIG_INVALID with every problem on a line of its own. `what` is the file or the variables they are in. */
export function configError(what: string, lines: readonly string[]): AppError {
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`
  return new AppError('CONFIG_INVALID', `${what}: ${count}\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
