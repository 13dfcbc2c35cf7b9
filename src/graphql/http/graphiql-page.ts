/**
 * The whole GraphiQL page: it loads nothing from other hosts, so it works without internet. Imported on the first
 * request.
 */
export async function renderGraphiqlPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  return renderGraphiQL({
    title: 'Factotum',
    endpoint: '/graphql',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    // What stands in the headers is a token: it is not left in the browser.
    shouldPersistHeaders: false,
    headers: '{ "Authorization": "Bearer <token>" }',
    defaultQuery: `# Put your token into the header below (tab "Headers"), then try:
query { viewer { tokenName role } server { version database models { role provider model } } }
`,
  })
}
