/** What plans and conversations may call besides commands, and what is wrong with what is not there. */
import { useDeferredValue, useState } from 'react'
import { useRead } from '../../data/use-read.ts'
import { ToolsAndSkillsDocument, type ToolsAndSkillsQuery } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SearchField } from '../../ui/controls/field.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { Card } from '../../ui/display/card.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { countOf } from '../../ui/display/time-text.ts'
import { TryToolDialog } from './try-tool-dialog.tsx'

/** Of the server itself: they keep what was said, which models alone do. */
const IN_CONVERSATIONS: ReadonlySet<string> = new Set(['memory', 'session'])

const EFFECTS = { READ: 'reads', WRITE: 'writes' } as const

export function ToolList() {
  const { data, error, isPending } = useRead(ToolsAndSkillsDocument, {})
  const [typed, setTyped] = useState('')
  const part = useDeferredValue(typed.trim().toLowerCase())
  if (error !== null) return <ErrorLine>{error.message}</ErrorLine>
  if (isPending) return <Pending what="the tools" />
  const found = (...texts: readonly string[]): boolean => texts.some((text) => text.toLowerCase().includes(part))
  const problems = [
    ...(data.toolProblems ?? []).map(({ source, problem }) => ({ name: source, problem })),
    ...(data.skillProblems ?? []).map(({ folder, message }) => ({ name: `skills/${folder}`, problem: message })),
  ]
  const tools = data.tools.filter(({ name, summary }) => found(name, summary))
  const skills = data.skills.filter(({ name, summary }) => found(name, summary))
  return (
    <div className="page-padded plugin-tools">
      <SearchField label="Search tools and skills" value={typed} onChange={(event) => setTyped(event.target.value)} />
      {problems.length > 0 && (
        <Card title="Not there now" tone="warn">
          <ul className="plugin-rows">
            {problems.map(({ name, problem }) => (
              <li key={name}>
                <strong className="mono">{name}</strong> <span className="foreign">{problem}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <McpServers servers={data.mcpServers ?? []} />
      <Tools tools={tools} />
      <Card title={`Skills (${skills.length})`}>
        {skills.length === 0 && <p className="soft">None. A skill is a folder in skills/ of the server&apos;s home.</p>}
        <ul className="plugin-rows">
          {skills.map(({ name, version, summary }) => (
            <li key={name}>
              <strong className="mono">{name}</strong> <span className="small faint">{version}</span>
              <p className="foreign soft">{summary}</p>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

function Tools({ tools }: Pick<ToolsAndSkillsQuery, 'tools'>) {
  const [tried, setTried] = useState<ToolsAndSkillsQuery['tools'][number] | null>(null)
  return (
    <Card title={`Tools (${tools.length})`}>
      {tools.length === 0 && (
        <p className="soft">None. Plugins bring tools, and so do the MCP servers of [mcp] in config.toml.</p>
      )}
      <ul className="plugin-rows">
        {tools.map((tool) => (
          <li key={tool.name} className="plugin-tool">
            <details>
              <summary>
                <strong className="mono">{tool.name}</strong>{' '}
                <Badge tone={tool.toolEffect === 'READ' ? 'plain' : 'warn'}>{EFFECTS[tool.toolEffect]}</Badge>
                <p className="foreign soft">{tool.summary}</p>
              </summary>
              <p className="small faint">{`from ${tool.source}; its arguments:`}</p>
              <pre className="plugin-schema foreign">{JSON.stringify(tool.argsSchema, null, 2)}</pre>
            </details>
            {IN_CONVERSATIONS.has(tool.source) ? (
              <span className="small faint">in conversations</span>
            ) : (
              <Button small icon="play" aria-label={`Try ${tool.name}`} onClick={() => setTried(tool)}>
                Try
              </Button>
            )}
          </li>
        ))}
      </ul>
      {tried !== null && <TryToolDialog tool={tried} onClose={() => setTried(null)} />}
    </Card>
  )
}

type McpServer = NonNullable<ToolsAndSkillsQuery['mcpServers']>[number]

function McpServers({ servers }: { readonly servers: readonly McpServer[] }) {
  if (servers.length === 0) return null
  return (
    <Card title={`MCP servers (${servers.length})`}>
      <ul className="plugin-rows">
        {servers.map(({ name, enabled, target, toolCount, mcpProblem }) => (
          <li key={name}>
            <strong className="mono">{name}</strong>{' '}
            <Badge tone={mcpProblem != null ? 'warn' : enabled ? 'good' : 'plain'}>
              {mcpProblem != null ? 'not there' : enabled ? 'ready' : 'off'}
            </Badge>{' '}
            <span className="small faint">{countOf(toolCount, 'tool')}</span>
            <p className="foreign soft mono small">{target}</p>
            {mcpProblem != null && <p className="foreign small">{mcpProblem}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
