/** Opens what writes and seals the audit beside requests and turns, for app.ts. */
import { AuditSealer } from './audit/audit-sealer.ts'
import { ConfigAudit, type ConfigAuditOptions } from './audit/config-audit.ts'
import type { LiveConfigFile } from './config/live-config.ts'
import type { Stored } from './open-store.ts'
import type { Opened } from './opened.ts'
import type { Logger } from './platform/logger.ts'
import type { Metrics } from './platform/metrics.ts'
import type { SecretStore } from './secrets/secret-store.ts'

interface AuditParts {
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'clock'>
  readonly file: LiveConfigFile
  readonly secrets: SecretStore
  readonly metrics: Metrics
  readonly logger: Logger
}

/** Stopped after all that writes to the audit; what was not sealed by then is sealed by the next process. */
export async function openAudit({ stored, file, secrets, metrics, logger }: AuditParts, opened: Opened): Promise<void> {
  const { database, doorbell, clock } = stored
  const onSealed = (): void => doorbell.ring({ kind: 'audit' })
  const sealer = new AuditSealer({ database, clock, logger, metrics, onSealed })
  await sealer.start()
  opened.add('audit sealer', () => sealer.stop())
  const onSecretsReloaded: ConfigAuditOptions['onSecretsReloaded'] = (listener) => secrets.onReloaded(listener)
  const hideSecrets = (text: string): string => secrets.redactLine(text)
  const configAudit = new ConfigAudit({ database, config: file, onSecretsReloaded, hideSecrets, clock, logger })
  configAudit.start()
  opened.add('audit of the configuration', () => configAudit.stop())
}
