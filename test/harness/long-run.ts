/**
 * What the tests that run for minutes (`test:crash`, `test:soak`) have in common as programs: options, progress, ends.
 */
import { styleText } from 'node:util'

/** The value of an option that counts something. Throws a TypeError, which is wrong usage, for anything else. */
export function wholeNumber<Name extends string>(
  values: Readonly<Partial<Record<NoInfer<Name>, string | boolean | undefined>>>,
  name: Name,
  byDefault: number,
): number {
  const value = values[name]
  if (value === undefined) return byDefault
  if (!/^\d{1,10}$/.test(String(value))) throw new TypeError(`--${name} must be a whole number`)
  return Number(value)
}

/** Prints lines with the seconds since it was made. */
export function progressPrinter(): (text: string) => void {
  const startedAtMs = performance.now()
  return (text) => {
    const seconds = Math.round((performance.now() - startedAtMs) / 1000)
    console.log(`${styleText('dim', `${seconds} s`.padStart(6))}  ${text}`)
  }
}

/** Rejects on Ctrl-C, so that what was started is cleared away. */
export function untilInterrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)))
  })
}

/** Runs `main` and returns its exit code: 1 when it fails, 2 with the usage when an option is wrong. */
export async function exitCodeOf(main: () => Promise<number>, usage: string): Promise<number> {
  try {
    return await main()
  } catch (error) {
    const misused = error instanceof TypeError && error.message.includes('--')
    console.error(misused ? `${error.message}\n\n${usage}` : error)
    return misused ? 2 : 1
  }
}
