/**
 * What the planner found of secrets leaves the plan before that is stored, shown or executed: the values go into the
 * memory of this process, the message that brought them is rewritten without them, and so is the plan. From here on
 * they are known, so no later prompt, row, event or log line holds them. Called by makePlan with each answer of the
 * planner, also one whose plan is refused.
 */
import { hash } from 'node:crypto'
import { messagePreview } from '../../core/text/message-preview.ts'
import type { FoundSecret, ProposedPlan } from '../../core/plan/plan.ts'
import { REDACTED } from '../../core/text/redacted.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { isRedactable } from '../../secrets/redaction.ts'
import { hideForms, secretsByForm } from '../../secrets/forms/secret-forms.ts'
import { PLAN_TEXTS } from '../../secrets/turn-texts.ts'
import type { TurnContext } from '../turn-context.ts'
import type { ServedMessage } from '../turn-messages.ts'

/** What is left of an answer of the planner. */
export interface TakenSecrets {
  /** The plan without secrets. */
  readonly plan: ProposedPlan
  /** The names under which they are kept. */
  readonly names: readonly string[]
  /** What the planner did with secrets that it must not, one sentence each; never with a value. */
  readonly problems: readonly string[]
}

/** A thousand misused secrets need no thousand sentences. */
const MAX_PROBLEMS = 10

/** To be called once with each answer, before anything of it is recorded. */
export function takeSecrets(
  context: Pick<TurnContext, 'messages' | 'journal' | 'secrets'>,
  proposed: ProposedPlan,
): TakenSecrets {
  const { secrets, messages } = context
  const said = proposed.secrets.filter(({ value }) => messages.text.includes(value))
  const written = messages.asWritten.map(({ content }) => content).join('\n\n')
  const shown = messages.asWritten.map((message) => ({
    ...message,
    knownBefore: secrets.redactor().redact(message.content),
  }))
  // A value that has the form of a secret is hidden, too, and under no name: no skill can ask for it.
  const byForm = secretsByForm(written).filter((value) => !said.some((secret) => secret.value.includes(value)))
  secrets.remember([...said, ...byForm.filter(isRedactable).map((value) => ({ key: '', value }))])
  for (const message of shown) hideInMessage(context, message)
  const names = said.map(({ key }) => key).filter((key) => secrets.ephemeral().has(key))
  const plan = { ...redactTexts(proposed, PLAN_TEXTS, secrets.redactor()), secrets: [] }
  return {
    plan,
    names,
    problems: [...inventedProblems(context, proposed.secrets), ...misplacedProblems(plan, proposed)].slice(
      0,
      MAX_PROBLEMS,
    ),
  }
}

/**
 * For a conversation: what has the form of a secret leaves the messages before a model sees them. One that stands
 * behind a name ("GITHUB_TOKEN=…") is kept under it.
 */
export function takeSecretsByForm(context: Pick<TurnContext, 'messages' | 'journal' | 'secrets'>): void {
  const text = context.messages.asWritten.map(({ content }) => content).join('\n\n')
  const secrets = secretsByForm(text).flatMap((value) => {
    const key = NAME_BEFORE.exec(text.slice(0, text.indexOf(value)).slice(-MAX_NAME_CHARS))?.[1]
    return key === undefined || !isRedactable(value) ? [] : [{ key, value }]
  })
  takeSecrets(context, { goal: '', tasks: [], answers: [], factsUsed: [], secrets })
}

const NAME_BEFORE = /([A-Za-z_][A-Za-z0-9_]{0,63})[=:]\s?["']?$/
const MAX_NAME_CHARS = 80

/**
 * A message as it is stored and shown from now on. An event notifies the subscribers of its session. `knownBefore`:
 * without the secrets that were known before, which is how it is shown when an earlier answer of the planner brought
 * some of them.
 */
function hideInMessage(
  { secrets, journal }: Pick<TurnContext, 'journal' | 'secrets'>,
  message: ServedMessage & { readonly knownBefore: string },
): void {
  const content = secrets.redactor().redact(hideForms(message.content))
  if (content === message.content) return
  const wasSha256 = [message.content, message.knownBefore].map((shown) => hash('sha256', messagePreview(shown)))
  const preview = { wasSha256, now: messagePreview(content) }
  journal.record([{ type: 'MessageUpdated', messageId: message.id }], {
    messageTexts: [{ id: message.id, content }],
    preview,
  })
}

/** A planner that is asked again sees the mark in the message, and may take it for the value: that is no mistake. */
function inventedProblems({ messages }: Pick<TurnContext, 'messages'>, secrets: readonly FoundSecret[]): string[] {
  return secrets.flatMap(({ value }, index) =>
    messages.text.includes(value) || value.includes(REDACTED)
      ? []
      : [
          `The value of secret ${index + 1} does not stand in the message. Copy it from there as it is, or leave it out of the secrets.`,
        ],
  )
}

/** A program that got the mark instead of the value would fail without a visible cause. */
function misplacedProblems(plan: ProposedPlan, proposed: ProposedPlan): string[] {
  return proposed.tasks.flatMap(({ type, detail, args }, index) => {
    const hidden = plan.tasks[index]
    if (type === 'MSG' || (detail === hidden?.detail && args === hidden.args)) return []
    return [
      `Task ${index + 1} (${type.toLowerCase()}) holds the value of a secret. No command and no argument gets one: leave it out. ` +
        'A skill that asks for a secret by its key is given it; without such a skill, tell the user in a msg task that it cannot be used.',
    ]
  })
}
