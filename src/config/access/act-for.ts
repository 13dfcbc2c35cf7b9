/**
 * As whom a caller acts who may name one. What must hold: a connector that names the identity of a user has that user's
 * rights, and not its own, in the sessions that are open to it; the audit has the user's name beside its token's.
 */
import type { Viewer } from '../../core/identity.ts'
import { conflict, type Refusal } from '../../core/refusal.ts'
import type { Config } from '../config.ts'
import { resolveSender } from './resolve-sender.ts'

/** `user` is the input field of that name; left out, the caller acts as itself. */
export function actFor(config: Config, viewer: Viewer, user: string | null | undefined): Viewer | Refusal {
  if (user == null) return viewer
  const sender = resolveSender(config, viewer, user)
  if ('kind' in sender) return sender
  if (viewer.user !== null) return viewer
  if (!sender.trusted)
    return conflict(
      'NOT_ALLOWED',
      `"${sender.name}" is the identity of no user at "${viewer.tokenName}": only users may.`,
    )
  const { name, role } = sender
  return { ...viewer, tokenKind: 'USER', user: { name, role }, role }
}
