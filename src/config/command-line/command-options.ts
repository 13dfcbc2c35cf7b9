/** Options that several commands take, and how their values are checked. */
import { InvalidArgumentError, type Command } from 'commander'
import type { Flags } from '../schema/environment.ts'

/** What a subject calls with what to do, and with the options that say which server is meant. */
export type Found<Action, Place = Flags> = (action: Action, flags: Place) => void

/** Of commands that manage the files or the database of a server on this machine. */
export function withHome(command: Command): Command {
  return command.option('--home <folder>', 'The folder of everything the server keeps. Overrules FACTOTUM_HOME.')
}

/** Of the server itself, and of what inspects its surroundings. */
export function withPlace(command: Command): Command {
  const served = command
    .option('--port <n>', 'The port to listen on. Overrules PORT.')
    .option('--host <address>', 'The address to listen on. Overrules HOST.')
  return withHome(served)
}

/** A parser of an option's value: `rule` returns null when the value is fine, else the sentence that says why not. */
export function checked(rule: (value: string) => string | null): (value: string) => string {
  return (value) => {
    const problem = rule(value)
    if (problem !== null) throw new InvalidArgumentError(problem)
    return value
  }
}

/** A parser of a day, for the option of this name. */
export function checkedDay(option: string): (value: string) => string {
  return checked((day) => (isDay(day) ? null : `${option} must be a day such as 2026-11-21; it is "${day}".`))
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
