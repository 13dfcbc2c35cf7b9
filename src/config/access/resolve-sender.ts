/**
 * Whom a message is from. What must hold: a connector's word is never taken for a user's name.
 * Only an alias makes a platform identity a user; otherwise a stranger who renames himself on a chat platform would
 * become an admin.
 */
import type { Sender, Viewer } from '../../core/identity.ts'
import { invalidInput, type Refusal } from '../../core/refusal.ts'
import type { Config } from '../config.ts'
import { currentUser } from './current-user.ts'
import { findByAlias } from './identity-index.ts'
import { isPlatformIdentity, PLATFORM_IDENTITY_RULE } from './platform-identity.ts'

/** `user` is the input field of that name, which the refusal names. */
export function resolveSender(config: Config, viewer: Viewer, user: string | null | undefined): Sender | Refusal {
  return viewer.user === null
    ? resolveAlias(config, viewer.tokenName, user)
    : resolveBound(config, viewer.user.name, user)
}

function resolveBound(config: Config, boundName: string, user: string | null | undefined): Sender | Refusal {
  if (user != null && user !== boundName) {
    return invalidInput(
      ['user'],
      `This token acts for "${boundName}" only; leave the field out or set it to that name.`,
    )
  }
  const bound = currentUser(config, boundName)
  if (bound === null) return invalidInput(['user'], `The user "${boundName}" is no longer known.`)
  return { trusted: true, name: bound.name, role: bound.role }
}

function resolveAlias(config: Config, tokenName: string, user: string | null | undefined): Sender | Refusal {
  if (user == null)
    return invalidInput(['user'], 'A connector must name the sender: set "user" to their platform identity.')
  if (!isPlatformIdentity(user)) return invalidInput(['user'], `The sender ${PLATFORM_IDENTITY_RULE}.`)
  const known = findByAlias(config, tokenName, user)
  return known === null ? { trusted: false, name: user } : { trusted: true, name: known.name, role: known.role }
}
