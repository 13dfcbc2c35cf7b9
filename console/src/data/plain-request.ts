/** What goes over plain HTTP, beside GraphQL: files, exports. The browser says that the page is the server's own. */

/** The answer, or why there is none, for people. Never rejects. */
export async function plainRequest(path: string, init: RequestInit = {}): Promise<Response | string> {
  try {
    const response = await fetch(new URL(path, document.baseURI), init)
    return response.ok ? response : ((await problemIn(response)) ?? `The server refused (status ${response.status}).`)
  } catch {
    return 'The server does not answer.'
  }
}

async function problemIn(response: Response): Promise<string | null> {
  try {
    const { problem, error } = (await response.json()) as { readonly problem?: unknown; readonly error?: unknown }
    const said = problem ?? error
    return typeof said === 'string' ? said : null
  } catch {
    return null
  }
}
