/** The ways in and out. The server sets and takes away the cookie; nothing of it is kept here. */

/** A token, or what stands in a link that the server has printed. */
export type LoginProof = { readonly token: string } | { readonly code: string }

/** Null: the person is logged in. Otherwise why not, for people. */
export async function logIn(proof: LoginProof): Promise<string | null> {
  if (!navigator.cookieEnabled) return 'This browser keeps no cookies of this page, and a login is one. Allow them.'
  try {
    const response = await post('login', proof)
    if (response.ok) return null
    const { problem } = (await response.json().catch(() => ({}))) as { readonly problem?: unknown }
    return typeof problem === 'string' ? problem : `The server refused (status ${response.status}).`
  } catch {
    return 'The server does not answer. Try again in a moment.'
  }
}

const LINK = /^#\/login\/([\w-]{1,200})$/

/** Why the link that the page was opened with did not work; null: it did, or there was none. */
let linkProblem: string | null = null
export const problemOfLink = (): string | null => linkProblem

/** Before anything is shown: the address is kept by nobody, as it would log in once more. Never rejects. */
export async function logInByLink(): Promise<void> {
  // Opened in a tab that shows the console already.
  addEventListener('hashchange', () => {
    if (LINK.test(location.hash)) location.reload()
  })
  const code = LINK.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(null, '', '#/')
  linkProblem = await logIn({ code })
}

/** Everywhere: the cookies of all browsers that logged in with this token end. */
export async function logOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  await post('logout', { everywhere })
  sessionStorage.clear() // drafts: the next at this screen may be another
  location.reload()
}

function post(path: string, body: object): Promise<Response> {
  return fetch(new URL(path, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
