/**
 * What graphile-worker says, in our log. What it says of a job that failed is left out: the runner logs that itself.
 */
import { Logger as WorkerLogger } from 'graphile-worker'
import { messageOf } from '../core/errors.ts'
import type { Logger } from '../platform/logger.ts'

const LEVELS = { error: 'warn', warning: 'warn', info: 'debug', debug: 'trace' } as const

export function jobLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, meta) => {
    if (meta['failure'] === true) return
    const error = meta['error'] === undefined ? {} : { error: messageOf(meta['error']) }
    logger[LEVELS[level]](error, `jobs: ${message}`)
  })
}
