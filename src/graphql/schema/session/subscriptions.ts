/**
 * The subscription fields. Those that show a session's log are log views: the hub reads the log, checks access while it
 * follows, and calls `resolve` once for all subscribers who may share the result (src/graphql/live/log-view.ts).
 * It never evaluates their authScopes: the rule of a log view is always AUTHENTICATED.
 */
import type { SessionEvent, SessionEventType } from '../../../core/session-event.ts'
import { assert } from '../../../platform/must.ts'
import { servedByHub, type LogEntry, type LogView, type ReadLogView } from '../../live/log-view.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BEGINS } from '../list-update.ts'
import { SessionEventTypeEnum, wantedTypes } from './event-types.ts'
import { SessionRow } from './session.ts'
import {
  PipelineStepEvent,
  SessionEventInterface,
  TextEventInterface,
  typeNameOf,
  type EventOf,
} from './session-event.ts'

builder.subscriptionType({ description: 'What changes, as it happens: over WebSocket (graphql-transport-ws) or SSE.' })

/** The arguments of every log view, as the hub reads them. */
const SESSION_ID =
  'The session. One that you may not see is NOT_FOUND. One that you may open and that is not there yet is waited for; its ' +
  'log comes from the first event on.'
const AFTER =
  'Resume: everything with a greater seq that the log holds, then live; in order, nothing missing, nothing twice. ' +
  'Left out: live only. From before what was removed for its age: sessionEvents begins with a SessionSnapshot that says so ' +
  '(removedUpTo); the others end with the error CURSOR_TOO_OLD, unless it is 0.'

const TYPES = 'Only events of these types; all when left out. A SessionSnapshot comes in any case.'

builder.subscriptionField('sessionEvents', (t) =>
  t.field({
    type: SessionEventInterface,
    authScopes: AUTHENTICATED,
    description: 'The whole log of a session. Without "after" it starts with a SessionSnapshot.',
    args: {
      sessionId: t.arg.id({ required: true, description: SESSION_ID }),
      after: t.arg.int({ description: AFTER }),
      types: t.arg({ type: [SessionEventTypeEnum], description: TYPES }),
    },
    extensions: { logView: readWhole },
    subscribe: servedByHub,
    resolve: (entry) => entry,
  }),
)

builder.subscriptionField('pipelineSteps', (t) =>
  t.field({
    type: PipelineStepEvent,
    authScopes: AUTHENTICATED,
    description: "Only the steps of the session's turns: sessionEvents(types: PIPELINE_STEP), typed.",
    args: {
      sessionId: t.arg.id({ required: true, description: SESSION_ID }),
      after: t.arg.int({ description: AFTER }),
    },
    extensions: { logView: () => only('PipelineStep') },
    subscribe: servedByHub,
    resolve: (entry) => expectType(['PipelineStep'], entry),
  }),
)

builder.subscriptionField('messageOutputs', (t) =>
  t.field({
    type: TextEventInterface,
    authScopes: AUTHENTICATED,
    description:
      'Only what the agent says: streamed pieces, at most 20 a second, and whole texts. The same as ' +
      'sessionEvents(types: [TEXT_DELTA, TEXT_COMPLETED]), typed.',
    args: {
      sessionId: t.arg.id({ required: true, description: SESSION_ID }),
      after: t.arg.int({ description: AFTER }),
    },
    extensions: { logView: () => only('TextDelta', 'TextCompleted') },
    subscribe: servedByHub,
    resolve: (entry) => expectType(['TextDelta', 'TextCompleted'], entry),
  }),
)

SessionRow.updates('sessionUpdates', {
  authScopes: AUTHENTICATED,
  description:
    'Sessions that you may see, whenever a field that lists show has changed; at most four times a second each. ' +
    BEGINS,
  follow: ({ sessionNotifier, viewer }) => sessionNotifier.follow(viewer),
})

function readWhole({ types }: Parameters<ReadLogView>[0]): LogView {
  const wanted = wantedTypes(types as readonly SessionEventType[] | null | undefined)
  const admits = wanted === null ? () => true : (event: SessionEvent) => wanted.has(event.type)
  return { admits, typeNameOf, startsWithSnapshot: true }
}

function only(...types: readonly SessionEventType[]): LogView {
  return { admits: (event) => types.includes(event.type), typeNameOf, startsWithSnapshot: false }
}

function expectType<Type extends SessionEventType>(types: readonly Type[], entry: LogEntry): EventOf<Type> {
  const known: readonly string[] = types
  assert(known.includes(entry.type), `a view of ${types.join(', ')} was given ${entry.type}`)
  return entry as EventOf<Type>
}
