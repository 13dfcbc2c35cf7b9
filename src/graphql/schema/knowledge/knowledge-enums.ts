/** The states and kinds of facts, learnings and questions, as src/core/status.ts names them. */
import type {
  FactChange,
  FactSource,
  LearningFlag,
  LearningStatus,
  QuestionSource,
  QuestionStatus,
} from '../../../core/status.ts'
import { builder } from '../builder.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

export const FactSourceEnum = builder.enumType('FactSource', {
  description: 'Who made a fact.',
  values: {
    CURATOR: { description: 'The curator, from a learning.' },
    SUMMARIZER: { description: 'The summarizer, from several facts, when there were many.' },
    MANUAL: { description: 'An admin, from a learning, from other facts or from nothing.' },
  } as const satisfies Values<FactSource>,
})

export const FactChangeEnum = builder.enumType('FactChange', {
  description: 'What was done to a fact.',
  values: {
    CREATED: { description: 'It was made.' },
    EDITED: { description: 'It says something else.' },
    MERGED: { description: 'An admin made one fact of it and others; replacedBy is that one.' },
    INVALIDATED: { description: 'It is in no prompt any more.' },
    RESTORED: { description: 'It is in use again.' },
    CONSOLIDATED: { description: 'The summarizer edited it, or made it part of another one, when there were many.' },
  } as const satisfies Values<FactChange>,
})

export const LearningStatusEnum = builder.enumType('LearningStatus', {
  description: 'What became of a learning.',
  values: {
    PENDING: { description: 'Nobody has decided yet.' },
    PROMOTED: { description: 'It became a fact.' },
    ASKED: { description: 'It became a question.' },
    DISCARDED: { description: 'It is nothing to keep. The same text is refused from then on.' },
    REFUSED: {
      description:
        'It was not judged, because it says what is known already, or by its form. An admin may promote or reopen it.',
    },
  } as const satisfies Values<LearningStatus>,
})

export const LearningFlagEnum = builder.enumType('LearningFlag', {
  description: 'What was noticed about a learning.',
  values: {
    REJECTED: { description: 'A person has taken a fact that says the same out of use, or corrected it.' },
    RECALLED: { description: 'It contains a fact that stood in the prompt.' },
    REOPENED: { description: 'An admin took a refusal or a decision about it back.' },
    UNUSABLE: { description: 'What the curator made of it could not be kept.' },
  } as const satisfies Values<LearningFlag>,
})

export const QuestionSourceEnum = builder.enumType('QuestionSource', {
  description: 'Who wants to know.',
  values: {
    CURATOR: { description: 'The curator, about a learning.' },
    ADMIN: { description: 'An admin.' },
  } as const satisfies Values<QuestionSource>,
})

export const QuestionStatusEnum = builder.enumType('QuestionStatus', {
  description: 'Whether a question is still open.',
  values: {
    OPEN: { description: 'The planner raises it.' },
    RESOLVED: { description: "It was answered, by a user's message or by an admin, or closed without an answer." },
  } as const satisfies Values<QuestionStatus>,
})
