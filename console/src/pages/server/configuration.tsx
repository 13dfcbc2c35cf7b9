/** What the server has made of config.toml and .env: what is wrong, what should be changed, which secrets there are. */
import { useRead, usePages } from '../../data/use-read.ts'
import { useChange } from '../../data/use-change.ts'
import {
  DeploySecretsDocument,
  ReadSecretsAgainDocument,
  ServerConfigurationDocument,
  type DeploySecretsQuery,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { notify } from '../../ui/feedback/toasts.ts'
import { countOf } from '../../ui/display/time-text.ts'
import { Part } from './part.tsx'

const REFRESH_MS = 5000

export function Configuration() {
  const { data, error } = useRead(ServerConfigurationDocument, {}, { everyMs: REFRESH_MS })
  const read = data?.configuration
  if (error !== null && read == null) return <ErrorLine>{error.message}</ErrorLine>
  if (read == null) return <Pending what="the configuration" />
  return (
    <div className="server-parts">
      <Part title="config.toml" about="Changes apply within a second. A file with an error is rejected as a whole.">
        <p className="server-line">
          <Badge tone={read.inEffect ? 'good' : 'bad'}>
            <span className="badge-dot" aria-hidden="true" />
            {read.inEffect ? 'in effect' : 'refused'}
          </Badge>
          <span className="soft">
            taken over <Time at={read.loadedAt} />
            {read.refusedAt !== null && (
              <>
                , the file as it is now was refused <Time at={read.refusedAt} />
              </>
            )}
          </span>
        </p>
        <p className="soft">
          {`It declares ${countOf(read.declaredUsers, 'user')}, ${countOf(read.declaredTokens, 'token')} and `}
          {read.providers.length === 0
            ? 'no provider of models.'
            : `${countOf(read.providers.length, 'provider')} of models: ${read.providers.join(', ')}.`}
        </p>
        <Lines title="Problems" lines={read.problems} tone="bad" />
        <Lines title="Warnings" lines={read.warnings} tone="warn" />
        {read.problems.length + read.warnings.length === 0 && <p className="soft">No problem, no warning.</p>}
      </Part>
      <Part title="Secrets" about="Names only; their values are never shown.">
        <Secrets />
      </Part>
    </div>
  )
}

interface LinesProps {
  readonly title: string
  readonly lines: readonly string[]
  readonly tone: 'bad' | 'warn'
}

function Lines({ title, lines, tone }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <div className={`server-lines server-lines-${tone}`}>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line} className="foreign">
            {line}
          </li>
        ))}
      </ul>
    </div>
  )
}

type Secret = NonNullable<DeploySecretsQuery['secrets']>['edges'][number]['node']

function Secrets() {
  const list = usePages(DeploySecretsDocument, { first: 50 }, ({ secrets }) => secrets)
  const { send, isSending } = useChange(ReadSecretsAgainDocument, (data) => data.reloadSecrets, [DeploySecretsDocument])
  const readAgain = async (): Promise<void> => {
    const read = await send({})
    if (read !== null) notify({ tone: 'good', text: `${countOf(read.names.length, 'secret')} read.` })
  }
  if (list.error !== null) return <ErrorLine>{list.error.message}</ErrorLine>
  if (list.isLoading) return <Pending what="the secrets" />
  return (
    <>
      {list.rows.length === 0 && (
        <p className="soft">None. Keys of providers and of skills go into .env of the server&apos;s home.</p>
      )}
      {list.rows.length > 0 && (
        <ul className="server-rows">
          {list.rows.map((secret) => (
            <SecretRow key={secret.name} secret={secret} />
          ))}
        </ul>
      )}
      <div className="server-line">
        <Button small icon="retry" isBusy={isSending} onClick={() => void readAgain()}>
          Read .env again
        </Button>
        {list.hasMore && (
          <Button small isBusy={list.isLoadingMore} onClick={list.loadMore}>
            More
          </Button>
        )}
      </div>
    </>
  )
}

const KINDS = {
  PROVIDER: 'provider',
  WEBHOOK: 'webhooks of',
  SKILL: 'skill',
  MCP_SERVER: 'MCP server',
  PLUGIN: 'plugin',
} as const

function SecretRow({ secret: { name, source, wantedBy } }: { readonly secret: Secret }) {
  const isMissing = source === null && wantedBy.some(({ required }) => required)
  return (
    <li className="server-row">
      <strong className="mono foreign">{name}</strong>
      <span className="soft foreign server-row-what">
        {wantedBy.length === 0
          ? 'only kept out of outputs'
          : wantedBy.map((use) => `${KINDS[use.kind]} ${use.name}`).join(', ')}
      </span>
      <Badge tone={source !== null ? 'plain' : isMissing ? 'bad' : 'warn'}>
        {source === null ? 'not set' : source === 'ENVIRONMENT' ? 'environment' : '.env'}
      </Badge>
    </li>
  )
}
