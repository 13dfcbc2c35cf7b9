/** What an approval lets run. Read for itself: the event of a whole plan's shows the plan's first command alone. */
import type { FactotumClient, TypedDocument } from '@factotum/client'

interface Call {
  readonly type: string
  readonly detail: string
  readonly skill: string | null
  readonly tool: string | null
  readonly args: unknown
}

interface Read {
  readonly approval: {
    readonly kind: string
    readonly task: Call & { readonly plan: { readonly tasks: readonly Call[] } }
  } | null
}

const APPROVAL: TypedDocument<Read, { readonly id: string }> = `query WhatRuns($id: ID!) {
  approval: node(id: $id) { ... on Approval { kind task { ...Call plan { tasks { ...Call } } } } }
}
fragment Call on Task { type detail skill tool args }`

/** Control characters but tabs and ends of lines, and what is not seen or sets a direction. */
const HIDDEN = /(?![\t\n])\p{Cc}|\p{Cf}/gu

/** A line for each command or call; what hides in it is seen. Empty: the approval is gone. */
export async function whatRuns(factotum: FactotumClient, id: string): Promise<string> {
  const { approval } = await factotum.run(APPROVAL, { id })
  if (approval === null) return ''
  const { kind, task } = approval
  const calls = kind === 'PLAN' ? task.plan.tasks.filter(({ type }) => type !== 'MSG') : [task]
  return calls.map(lineOf).join('\n').replaceAll(HIDDEN, '\uFFFD')
}

function lineOf({ detail, skill, tool, args }: Call): string {
  const called = tool ?? skill
  return called === null ? detail : `${called} ${JSON.stringify(args)}`
}
