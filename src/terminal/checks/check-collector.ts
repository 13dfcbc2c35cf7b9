/** The collector of OpenTelemetry that the environment names: whether it takes what is sent. */
import { readTelemetrySettings, type Environment, type SignalSettings } from '../../telemetry/telemetry-settings.ts'
import { ok, warn, type Finding } from './finding.ts'

/** Never rejects. Never a failure: turns do not wait for a collector. */
export async function checkCollector(env: Environment): Promise<readonly Finding[]> {
  const settings = readTelemetrySettings(env)
  if (settings === null) return [ok('collector', 'None is named: no telemetry is sent.')]
  const { traces, metrics, problems } = settings
  const wrong = problems.map((problem) => warn('collector', `${problem}.`, 'Correct the variable, or unset it.'))
  const { tryMetrics, tryTraces } = await import('../../telemetry/sdk/try-collector.ts')
  const tried = await Promise.all([
    ...(traces === null ? [] : [check('traces', traces, tryTraces)]),
    ...(metrics === null ? [] : [check('metrics', metrics, tryMetrics)]),
  ])
  return [...wrong, ...tried]
}

async function check(
  what: string,
  settings: SignalSettings,
  send: (settings: SignalSettings) => Promise<string | null>,
): Promise<Finding> {
  const problem = await send(settings)
  const { host, pathname } = new URL(settings.url)
  const at = `${host}${pathname}`
  if (problem === null) return ok('collector', `${at} takes ${what}.`)
  const fix =
    'Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT or …_HEADERS; if it is to get none, ' +
    `set OTEL_${what.toUpperCase()}_EXPORTER=none.`
  return warn('collector', `${at} takes no ${what}: ${problem}.`, fix)
}
