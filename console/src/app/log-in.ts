/** The ways in and out. The server sets and takes away the cookie; nothing of it is kept here. */

/** Null: the person is logged in. Otherwise why not, for people. */
export async function logIn(token: string): Promise<string | null> {
  try {
    const response = await post('login', { token })
    if (response.ok) return null
    return response.status === 401
      ? 'The server knows no such token.'
      : `The server refused (status ${response.status}).`
  } catch {
    return 'The server does not answer. Try again in a moment.'
  }
}

/** Everywhere: the cookies of all browsers that logged in with this token end. */
export async function logOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  await post('logout', { everywhere })
  location.reload()
}

function post(path: string, body: object): Promise<Response> {
  return fetch(new URL(path, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
