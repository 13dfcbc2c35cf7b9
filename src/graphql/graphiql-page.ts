/**
 * The GraphiQL page, whole: it loads nothing from elsewhere, so it works without internet. Read when somebody first
 * asks.
 */
export async function renderGraphiqlPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  return renderGraphiQL({
    title: 'Factotum',
    endpoint: '/graphql',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    headers: '{ "Authorization": "Bearer <token>" }',
    defaultQuery: `# Put your token into the header below (tab "Headers"), then try:
query { viewer { tokenName role } server { version database models { role provider model } } }
`,
  })
}
