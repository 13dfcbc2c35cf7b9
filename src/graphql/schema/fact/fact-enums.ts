/** The states and kinds of facts, as src/core/status.ts names them. */
import type { FactChange, FactScope, FactSource } from '../../../core/status.ts'
import { builder } from '../builder.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>

export const FactSourceEnum = builder.enumType('FactSource', {
  description: 'Who made a fact.',
  values: {
    CURATOR: { description: 'The curator, from a learning, or the planner, from an answer in a message.' },
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
