/** Message.viewerCan. */
import { refuseChange } from '../../../intake/message/queued-message.ts'
import { builder } from '../builder.ts'
import { MessageType } from '../message/message.ts'
import { actionsType, VIEWER_CAN } from './actions-type.ts'

const MessageActions = actionsType('Message', { edit: 'editQueuedMessage.', withdraw: 'withdrawMessage.' })

builder.prismaObjectField(MessageType, 'viewerCan', (t) =>
  t.field({
    type: MessageActions,
    description: VIEWER_CAN,
    select: { id: true, userName: true, trusted: true, client: true, status: true },
    resolve: (message, _args, { viewer }) => {
      const isChangeable = refuseChange(viewer, message, message.id) === null
      return { edit: isChangeable, withdraw: isChangeable }
    },
  }),
)
