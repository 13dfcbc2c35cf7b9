/** Whether a person has to review what a user teaches: the configuration's answer. */
import { currentUser } from '../../config/access/current-user.ts'
import type { Config } from '../../config/config.ts'
import type { CurationMode } from '../../config/schema/curation.ts'
import type { LearningSource } from '../../core/status.ts'

/** `userName` null, or of a user who is no more: as of others than admins. */
export function modeOf(config: Config, source: LearningSource, userName: string | null): CurationMode {
  const user = userName === null ? null : currentUser(config, userName)
  return config.curation[source][user?.role ?? 'USER']
}
