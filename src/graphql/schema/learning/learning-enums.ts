/** The states and kinds of learnings, as src/core/status.ts names them. */
import type { LearningFlag, LearningSource, LearningStatus } from '../../../core/status.ts'
import { builder } from '../builder.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

export const LearningStatusEnum = builder.enumType('LearningStatus', {
  description: 'What became of a learning.',
  values: {
    PENDING: { description: 'Not decided yet.' },
    PROMOTED: { description: 'It became a fact.' },
    ASKED: { description: 'It became a question.' },
    ANSWERED: {
      description: 'The question that it became was answered or closed; the answer is a learning of its own.',
    },
    DISCARDED: { description: 'It is nothing to keep. The same text is refused from then on.' },
    REFUSED: {
      description:
        'It was not judged, because it says what is known already, or by its form. An admin may promote or reopen it.',
    },
  } as const satisfies Values<LearningStatus>,
})

export const LearningFlagEnum = builder.enumType('LearningFlag', {
  description: 'What was noticed about a learning; docs/curation.md has the table of forms.',
  values: {
    TEACHER: { description: 'What the one who taught it says waits for a person ([curation] of config.toml).' },
    ORDER: { description: 'It has the form of an order.' },
    SECRET: { description: 'It may hold a secret of an uncommon form.' },
    REMARK: { description: 'It has the form of a passing remark.' },
    AGENT: { description: 'It speaks of the agent.' },
    RIGHTS: { description: 'It speaks of who may do what.' },
    PRIVATE: { description: "It may be a person's private matter." },
    REJECTED: {
      description:
        'A person has taken a fact that says the same out of use, corrected it or merged it, or has discarded in a ' +
        'project what everybody would be told.',
    },
    RECALLED: { description: 'It contains a fact that stood in the prompt.' },
    REOPENED: { description: 'An admin took a refusal or a decision about it back.' },
    REPLACES: {
      description:
        'The curator would put it in the place of a fact that a person made, or of one that is replaced already.',
    },
    UNUSABLE: { description: 'What the curator made of it could not be kept.' },
  } as const satisfies Values<LearningFlag>,
})

export const LearningSourceEnum = builder.enumType('LearningSource', {
  description: 'Where something was learned.',
  values: {
    REVIEW: { description: 'By the reviewer of a task.' },
    CHAT: { description: 'By the assistant of a conversation.' },
    CHECKPOINT: { description: 'By the introspector, at a checkpoint.' },
    ANSWER: { description: 'From a person who answered a question: `user`.' },
  } as const satisfies Values<LearningSource>,
})
