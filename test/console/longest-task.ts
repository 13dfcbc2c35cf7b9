/**
 * How long the main thread of a page was busy without a pause, of its own processor time: what else the machine does
 * meanwhile changes nothing. No frame is drawn in that time.
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

/** Milliseconds, of the longest task of any page of the browser while `work` went on; and how many there were. */
export async function longestTask(
  browser: Browser,
  work: () => Promise<unknown>,
): Promise<{ readonly ms: number; readonly tasks: number }> {
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
  return { ms: Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000)), tasks: tasks.length }
}
