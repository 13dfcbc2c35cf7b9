/** The servers of tools of [mcp.<name>], as the process that answers has them. */
import type { McpServerConfig } from '../../../config/config.ts'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

interface McpServer {
  readonly server: McpServerConfig
  readonly problem: string | null
  readonly toolCount: number
}

const McpReachEnum = builder.enumType('McpReach', {
  description: 'How a server of tools is reached.',
  values: {
    PROGRAM: { description: 'It is a program that runs in the sandbox.' },
    URL: { description: 'It is asked over HTTP.' },
  } as const,
})

const McpServerType = builder.objectRef<McpServer>('McpServer').implement({
  description:
    'A server of tools that speaks the Model Context Protocol, of config.toml. Another process may stand otherwise with it.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.string({
      description: 'What its tools are named after: "<name>__<tool>".',
      resolve: ({ server }) => server.name,
    }),
    enabled: t.boolean({ description: 'Whether it is used.', resolve: ({ server }) => server.enabled }),
    reach: t.field({
      type: McpReachEnum,
      description: 'How it is reached.',
      resolve: ({ server }) => server.reach.kind,
    }),
    target: t.string({
      description: 'The command with which it is started, or its URL.',
      resolve: ({ server: { reach } }) => (reach.kind === 'URL' ? reach.url : [reach.command, ...reach.args].join(' ')),
    }),
    toolCount: t.exposeInt('toolCount', { description: 'How many tools it gives now.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why its tools are not there; null: they are, or it is off. It is tried again by itself.',
    }),
  }),
})

function mcpServers({ config, toolCatalog }: GraphQLContext): readonly McpServer[] {
  const { tools, problems } = toolCatalog.snapshot()
  return [...config.current().mcp.values()].map((server) => ({
    server,
    problem: server.enabled ? (problems.get(server.name) ?? null) : null,
    toolCount:
      toolCatalog.holderOf(server.name)?.origin === 'MCP'
        ? [...tools.values()].filter(({ source }) => source === server.name).length
        : 0,
  }))
}

builder.queryField('mcpServers', (t) =>
  t.field({
    type: [McpServerType],
    extensions: ALL_STORED,
    nullable: true,
    authScopes: { admin: true },
    description: 'The servers of tools of config.toml, by name, and how they stand. For admins.',
    resolve: (_root, _args, context) =>
      mcpServers(context).toSorted((a, b) => (a.server.name < b.server.name ? -1 : 1)),
  }),
)
