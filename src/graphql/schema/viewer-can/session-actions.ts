/** Session.viewerCan and Turn.viewerCan: cancelling a turn is an act on its session. */
import type { GraphQLResolveInfo } from 'graphql'
import { userOfRetry } from '../../../intake/message/retry-turn.ts'
import { sessionAbilities, type SessionAbilities } from '../../../intake/session/session-abilities.ts'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import { SessionType } from '../session/session.ts'
import { stillThere } from '../still-there.ts'
import { TurnType } from '../turn/turn.ts'
import { actionsType, VIEWER_CAN } from './actions-type.ts'

const SessionActions = actionsType('Session', {
  send: 'sendMessage.',
  update: 'updateSession, but for hiding it.',
  hide: 'updateSession with "inactive: true".',
  delete: 'deleteSession.',
  addParticipant: 'addParticipant.',
  removeParticipant: 'removeParticipant of others.',
  leave: 'removeParticipant of yourself.',
  checkpoint: 'checkpointSession.',
})

builder.prismaObjectField(SessionType, 'viewerCan', (t) =>
  t.field({
    type: SessionActions,
    description: VIEWER_CAN,
    select: { id: true },
    resolve: ({ id }, _args, context, info) => abilitiesOf({ context, info }, id),
  }),
)

const TurnActions = actionsType('Turn', {
  cancel: 'cancelTurn of its session, which ends the turn that runs. One that waits: Message.viewerCan.withdraw.',
  retry: 'retryTurn. Asked for again, it answers with retriedAs.',
})

builder.prismaObjectField(TurnType, 'viewerCan', (t) =>
  t.field({
    type: TurnActions,
    description: VIEWER_CAN,
    select: {
      id: true,
      sessionId: true,
      status: true,
      message: { select: { userName: true, trusted: true, client: true } },
    },
    resolve: async ({ id, sessionId, status, message }, _args, context, info) => {
      const { cancellableTurnId } = await abilitiesOf({ context, info }, sessionId)
      const retried = userOfRetry(context.intake, context.viewer, { ...message, turnId: id, status })
      return { cancel: cancellableTurnId === id, retry: !('kind' in retried) }
    },
  }),
)

function abilitiesOf(
  place: { readonly context: GraphQLContext; readonly info: GraphQLResolveInfo },
  sessionId: string,
): Promise<SessionAbilities> {
  const { intake, viewer } = place.context
  return stillThere(loadAt(place, sessionId, (ids) => sessionAbilities(intake, viewer, ids)))
}
