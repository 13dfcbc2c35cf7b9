/** The webhook of a session as an input of clients. */
import type { Viewer } from '../../core/identity.ts'
import { refuseInput, type Refusal } from '../../core/refusal.ts'
import type { SessionWebhook } from '../../store/intake/intake-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** Null when there is nothing to say against it, or none is given. */
export async function refuseWebhook(
  context: IntakeContext,
  viewer: Viewer,
  webhook: string | null | undefined,
): Promise<Refusal | null> {
  if (webhook == null) return null
  const problem = await context.checkWebhook(webhook, viewer.tokenName)
  return problem === null ? null : refuseInput([{ path: ['webhook'], message: problem }])
}

/** The token that sets a webhook also signs its posts. */
export function webhookChange(viewer: Viewer, webhook: string | null): SessionWebhook | null {
  return webhook === null ? null : { url: webhook, tokenName: viewer.tokenName }
}
