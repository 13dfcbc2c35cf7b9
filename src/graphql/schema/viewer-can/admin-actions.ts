/** viewerCan of what admins act on: facts, which users may dispute, learnings, questions and deliveries. */
import type { Viewer } from '../../../core/identity.ts'
import { againstReopening, isAttempted } from '../../../store/delivery.ts'
import { refuseChanging, refuseRestoring } from '../../../store/knowledge/fact-change.ts'
import { refuseDeciding, refuseReopening } from '../../../store/knowledge/knowledge-learning.ts'
import { refuseResolving } from '../../../store/knowledge/knowledge-question.ts'
import { grantedScopes } from '../access.ts'
import { builder } from '../builder.ts'
import { mayDispute } from '../fact/fact-disputes.ts'
import { FactType } from '../fact/fact.ts'
import { LearningType } from '../learning/learning.ts'
import { QuestionType } from '../question/question.ts'
import { DeliveryType } from '../message/delivery.ts'
import { actionsType, VIEWER_CAN } from './actions-type.ts'

/** The rule of the mutations themselves, `authScopes: { admin: true }`. */
function isGranted(viewer: Viewer): boolean {
  return grantedScopes(viewer).admin
}

const FactActions = actionsType('Fact', {
  edit: 'editFact.',
  merge: 'mergeFacts, with others.',
  invalidate: 'invalidateFact.',
  restore: 'restoreFact, unless a fact in use says the same by now.',
  revert: 'revertFact.',
  review: 'reviewFact; false when a person has reviewed it.',
  pin: 'setFactPinned.',
  dispute: 'disputeFact; false while what you said of it before is open.',
})

builder.prismaObjectField(FactType, 'viewerCan', (t) =>
  t.field({
    type: FactActions,
    description: VIEWER_CAN,
    select: { id: true, number: true, invalidatedAt: true, reviewedAt: true },
    resolve: async (fact, _args, context, info) => {
      const { viewer } = context
      const isChangeable = isGranted(viewer) && refuseChanging(fact) === null
      const isRestorable = isGranted(viewer) && refuseRestoring(fact) === null
      return {
        edit: isChangeable,
        merge: isChangeable,
        invalidate: isChangeable,
        restore: isRestorable,
        revert: isChangeable,
        review: isChangeable && fact.reviewedAt === null,
        pin: isChangeable,
        dispute: refuseChanging(fact) === null && (await mayDispute(context, info, fact.id)),
      }
    },
  }),
)

const LearningActions = actionsType('Learning', {
  promote: 'promoteLearning, unless a fact in use says the same.',
  ask: 'askLearning.',
  discard: 'discardLearning.',
  reopen: 'reopenLearning.',
})

builder.prismaObjectField(LearningType, 'viewerCan', (t) =>
  t.field({
    type: LearningActions,
    description: VIEWER_CAN,
    select: { id: true, number: true, status: true, decidedBy: true },
    resolve: (learning, _args, { viewer }) => {
      const isOpen = isGranted(viewer) && refuseDeciding(learning) === null
      const reopen = isGranted(viewer) && refuseReopening(learning) === null
      return { promote: isOpen, ask: isOpen, discard: isOpen, reopen }
    },
  }),
)

const QuestionActions = actionsType('Question', { resolve: 'resolveQuestion.' })

builder.prismaObjectField(QuestionType, 'viewerCan', (t) =>
  t.field({
    type: QuestionActions,
    description: VIEWER_CAN,
    select: { id: true, status: true, resolvedBy: true },
    resolve: (question, _args, { viewer }) => ({
      resolve: viewer.user !== null && refuseResolving(question) === null,
    }),
  }),
)

const DeliveryActions = actionsType('Delivery', { redeliver: 'redeliver.' })

builder.prismaObjectField(DeliveryType, 'viewerCan', (t) =>
  t.field({
    type: DeliveryActions,
    description: VIEWER_CAN,
    select: { id: true, status: true, nextAttemptAt: true, session: { select: { webhook: true } } },
    resolve: ({ session, ...delivery }, _args, { viewer, clock }) => {
      const hasWebhook = session.webhook !== null
      const against = againstReopening({ isAttempted: isAttempted(delivery, clock.now()), hasWebhook })
      return { redeliver: isGranted(viewer) && against === null }
    },
  }),
)
