/** Which model plays which role, and for admins a real call to try each. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { useViewer } from '../../data/use-viewer.ts'
import { TryModelDocument, type ServerStateFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { durationText } from '../../ui/display/time-text.ts'

/** The server waits for a model for 30 seconds, and says then that it is silent. */
const ANSWER_WITHIN_MS = 35_000

/** In words for people who have not read the documentation. */
const DOES: Readonly<Record<string, string>> = {
  planner: 'makes a plan of a message',
  reviewer: 'judges what a task came to',
  messenger: 'writes the answers of a plan',
  assistant: 'converses and calls tools',
  curator: 'decides what is kept of what was learned',
  summarizer: 'sums up long sessions, and consolidates facts',
  paraphraser: 'retells what strangers wrote, without their instructions',
  introspector: 'looks back on a session, and keeps its notes',
}

export function Models({ models }: Pick<ServerStateFragment, 'models'>) {
  const { isAdmin } = useViewer()
  return (
    <div className="server-parts">
      <p className="soft server-lead">
        Roles without a model of their own use the planner&apos;s. They are set under <code>[models]</code> in
        config.toml.
        {isAdmin && ' Trying one makes a small real call, which costs a few tokens.'}
      </p>
      <ul className="server-rows">
        {models.map((model) => (
          <ModelRow key={model.role} model={model} mayTry={isAdmin} />
        ))}
      </ul>
    </div>
  )
}

interface Result {
  readonly failure: string | null
  readonly followsSchema: boolean
  readonly callMs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

interface ModelRowProps {
  readonly model: ServerStateFragment['models'][number]
  readonly mayTry: boolean
}

function ModelRow({ model: { role, provider, model }, mayTry }: ModelRowProps) {
  const { send, isSending } = useChange(TryModelDocument, (data) => data.checkModel)
  const [result, setResult] = useState<Result | null>(null)
  const tryIt = async (): Promise<void> => {
    setResult(null)
    setResult(await send({ role }, { answerWithinMs: ANSWER_WITHIN_MS }))
  }
  return (
    <li className="server-row">
      <div className="server-row-name">
        <strong>{role}</strong>
        <span className="small soft">{DOES[role]}</span>
      </div>
      <span className="mono foreign server-row-what">{`${provider}:${model}`}</span>
      {mayTry && (
        <Button small isBusy={isSending} aria-label={`Try the ${role}`} onClick={() => void tryIt()}>
          {isSending ? 'Trying …' : 'Try'}
        </Button>
      )}
      {result !== null && <Outcome result={result} isRehearsal={provider === 'rehearsal'} />}
    </li>
  )
}

function Outcome({ result, isRehearsal }: { readonly result: Result; readonly isRehearsal: boolean }) {
  const { failure, followsSchema, callMs, inputTokens, outputTokens } = result
  if (failure !== null)
    return (
      <p className="server-row-more server-problem foreign" role="status">
        {failure}
      </p>
    )
  return (
    <p className="server-row-more small soft" role="status">
      <Badge tone={followsSchema || isRehearsal ? 'good' : 'warn'}>answered</Badge>{' '}
      {`in ${durationText(callMs)}, ${inputTokens} tokens read, ${outputTokens} written.`}
      {!followsSchema &&
        !isRehearsal &&
        ' It did not follow the JSON schema: plans and reviews need a model that does.'}
      {isRehearsal && ' This is the built-in rehearsal model, which is no language model.'}
    </p>
  )
}
