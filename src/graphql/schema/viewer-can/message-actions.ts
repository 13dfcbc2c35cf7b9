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
    select: { id: true, userName: true, trusted: true, client: true, status: true, call: true },
    resolve: (message, _args, { viewer }) => {
      const can = (change: 'EDIT' | 'WITHDRAW'): boolean =>
        refuseChange(viewer, { ...message, isCall: message.call !== null }, { messageId: message.id, change }) === null
      return { edit: can('EDIT'), withdraw: can('WITHDRAW') }
    },
  }),
)
