/**
 * How much of the processor time of a page's main thread one task took. No frame is drawn within a task. A share holds
 * on a machine of any speed; in milliseconds it is a figure of `npm run bench:console`.
 */
import type { Browser } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds on a processor. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The longest task of any page of the browser while `work` went on, as a share from 0 to 1; how many there were. */
export async function longestTask(
  browser: Browser,
  work: () => Promise<unknown>,
): Promise<{ readonly share: number; readonly tasks: number }> {
  const devtools = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const isComplete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
  await devtools.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel'] },
    transferMode: 'ReportEvents',
  })
  await work()
  await devtools.send('Tracing.end')
  await isComplete
  await devtools.detach()
  const key = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const names = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const mainThreads = new Set(names.map(key))
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && mainThreads.has(key(event)))
  const times = tasks.map(({ tdur = 0 }) => tdur)
  return { share: Math.max(...times) / times.reduce((sum, time) => sum + time, 0), tasks: tasks.length }
}
