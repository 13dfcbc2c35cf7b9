/** The GraphiQL page, whole: it loads nothing from elsewhere, so it works without internet. Read when somebody first asks. */
export async function renderGraphiqlPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  return renderGraphiQL({
    title: 'Factotum',
    endpoint: '/graphql',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    defaultQuery: `# Set the header {"Authorization": "Bearer <token>"} below, then try:
query { viewer { tokenName role } server { version database models { role provider model } } }
`,
  })
}
