/**
 * What the session of a turn has of its own: the model that plans and answers, and what these are told besides.
 * Instructions stand in the system prompt, so those that no admin wrote are left out where an admin asks: nobody else
 * directs what is done with an admin's rights.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { Config, ModelChoice } from '../config/config.ts'
import { parseModel } from '../config/models/model-choice.ts'
import type { OpenTurn } from '../store/turn/begin-turn.ts'

interface OwnOfSession {
  readonly ownModel: ModelChoice | null
  readonly instructions: string | null
}

/** Read as the turn begins. */
export function ownOfSession(config: Config, turn: Pick<OpenTurn, 'userName' | 'saidBefore'>): OwnOfSession {
  const { model, instructions, instructionsBy } = turn.saidBefore
  const isAdmin = (name: string): boolean => currentUser(config, name)?.role === 'ADMIN'
  const counts = !isAdmin(turn.userName) || (instructionsBy !== null && isAdmin(instructionsBy))
  return {
    ownModel: model === null ? null : parseModel(model, [...config.providers.keys()]),
    instructions: counts ? instructions : null,
  }
}
