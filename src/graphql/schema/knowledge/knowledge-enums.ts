/** The states and kinds of facts, learnings and questions, as src/core/status.ts names them. */
import type {
  FactChange,
  FactScope,
  FactSource,
  LearningFlag,
  LearningSource,
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
    SUMMARIZER: { description: 'The summarizer, from several facts that were alike, and an admin who accepted it.' },
    MANUAL: { description: 'An admin, from a learning, from other facts or from nothing.' },
  } as const satisfies Values<FactSource>,
})

export const FactScopeEnum = builder.enumType('FactScope', {
  description: 'Whom a fact is shown.',
  values: {
    GLOBAL: { description: 'Everybody.' },
    PROJECT: { description: 'Sessions whose metadata has the label as `project`.' },
    USER: { description: 'One user, where no other takes part.' },
    SESSION: { description: 'One session.' },
  } as const satisfies Values<FactScope>,
})

export const FactChangeEnum = builder.enumType('FactChange', {
  description: 'What was done to a fact.',
  values: {
    CREATED: { description: 'It was made.' },
    EDITED: { description: 'It says something else.' },
    MERGED: { description: 'An admin made one fact of it and others; replacedBy is that one.' },
    INVALIDATED: { description: 'It is in no prompt any more.' },
    RESTORED: { description: 'It is in use again.' },
    REPLACED: { description: 'Another fact holds in its place from then on: replacedBy.' },
    REVERTED: { description: 'An admin put it back to what it said in an earlier version.' },
    UNDONE: { description: 'An admin undid the change before, with all that was done together with it.' },
    SCOPED: { description: 'It is shown to others from then on: its scope is another one.' },
    CONSOLIDATED: {
      description: 'An admin accepted what the summarizer proposed: another text, another fact in its place, or none.',
    },
  } as const satisfies Values<FactChange>,
})

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
    ORDER: { description: 'It looks like an order.' },
    SECRET: { description: 'It may hold a secret of an uncommon form.' },
    REMARK: { description: 'It looks like a passing remark.' },
    AGENT: { description: 'It speaks of the agent.' },
    RIGHTS: { description: 'It speaks of who may do what.' },
    PRIVATE: { description: "It may be a person's private matter." },
    REJECTED: { description: 'A person has taken a fact that says the same out of use, or corrected it.' },
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

export const QuestionSourceEnum = builder.enumType('QuestionSource', {
  description: 'Who wants to know.',
  values: {
    CURATOR: { description: 'The curator, about a learning.' },
    ADMIN: { description: 'An admin.' },
    DISPUTE: { description: 'A user, who says that a fact is wrong (disputeFact). It is put to admins alone.' },
  } as const satisfies Values<QuestionSource>,
})

export const QuestionStatusEnum = builder.enumType('QuestionStatus', {
  description: 'Whether a question is still open.',
  values: {
    OPEN: { description: 'The planner raises it.' },
    RESOLVED: { description: "It was answered, by a user's message or by an admin, or closed without an answer." },
  } as const satisfies Values<QuestionStatus>,
})
