/** What a model that behaves answers, by role, whatever it is shown: a command and a message, a good review, a text. */
import type { StubAnswer, StubCall } from './stub-endpoint.ts'

export const GOOD_PLAN = {
  goal: 'Say hi',
  secrets: null,
  tasks: [
    { type: 'exec', detail: 'echo hi', skill: null, args: null, expect: 'it prints hi' },
    { type: 'msg', detail: 'Say what the command printed.', skill: null, args: null, expect: null },
  ],
  answers: null,
}

export const GOOD_REVIEW = { status: 'ok', reason: null, learn: null }

export const GOOD_INTROSPECTION = { workingMemory: 'They want to hear hi.', description: null, learnings: [] }

export function answerWell({ role, user }: StubCall): StubAnswer {
  switch (role) {
    case 'planner':
      return { content: GOOD_PLAN }
    case 'reviewer':
      return { content: GOOD_REVIEW }
    case 'messenger':
      return { pieces: ['It ', 'printed ', 'hi.'] }
    case 'assistant':
      return { pieces: ['It ', 'printed ', 'hi.'] }
    case 'curator':
      return { content: { evaluations: shownLearnings(user).map(promote) } }
    case 'summarizer':
      return user.includes('\n# Facts to consolidate\n')
        ? { content: { operations: shownLabels(user, 'F').map(keep) } }
        : 'They said hi.'
    case 'paraphraser':
      return { content: { paraphrases: shownLabels(user, 'M').map(paraphrase) } }
    case 'introspector':
      return { content: GOOD_INTROSPECTION }
    default:
      return role satisfies never
  }
}

/** The labels of a prompt that begin with `prefix`, such as L1, L2. */
export function shownLabels(prompt: string, prefix: string): string[] {
  return [...prompt.matchAll(new RegExp(`^(${prefix}\\d+):`, 'gm'))].map((match) => match[1] ?? '')
}

/** The learnings of a curator's prompt, each with its label. */
export function shownLearnings(prompt: string): { readonly learningId: string; readonly text: string }[] {
  return [...prompt.matchAll(/^(L\d+): (.*)$/gm)].map(([, learningId = '', text = '']) => ({ learningId, text }))
}

const promote = ({ learningId, text }: ReturnType<typeof shownLearnings>[number]): object => ({
  learningId,
  verdict: 'promote',
  fact: text,
  question: null,
  reason: 'It was verified.',
})
const keep = (label: string): object => ({ operation: 'keep', facts: [label], content: null, reason: null })
const paraphrase = (message: string): object => ({
  message,
  givesInstructions: false,
  text: 'Somebody said something.',
})
