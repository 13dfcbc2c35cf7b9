/** Tells the log when a collector cannot be reached: once, and once when it can be again. */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../platform/logger.ts'

interface Exporter<Sent> {
  export(sent: Sent, onResult: (result: ExportResult) => void): void
}

/** One for each collector; that of traces and that of metrics are mostly the same. */
export class CollectorWatch {
  readonly #logger: Logger
  #isDown = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Changes `exporter`, and returns it: it has other methods besides, which stay as they are. */
  watch<Sent, Watched extends Exporter<Sent>>(exporter: Watched & Exporter<Sent>): Watched {
    const send = exporter.export.bind(exporter)
    exporter.export = (sent: Sent, onResult) =>
      send(sent, (result) => {
        this.#note(result)
        onResult(result)
      })
    return exporter
  }

  #note({ code, error }: ExportResult): void {
    const isDown = code !== ExportResultCode.SUCCESS
    if (isDown === this.#isDown) return
    this.#isDown = isDown
    if (isDown)
      this.#logger.warn(
        { error: messageOf(error) },
        'the collector takes no telemetry; what it misses is lost, and turns do not wait for it',
      )
    else this.#logger.info('the collector takes telemetry again')
  }
}
