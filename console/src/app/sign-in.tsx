/** Who is not let in: a token is pasted, once; from then on a cookie that no script can read says who asks. */
import { useState, type FormEvent } from 'react'
import { reportAnswer } from '../data/trouble.ts'
import { queryClient } from '../data/query-client.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/field.tsx'
import { Mark } from './mark.tsx'
import { logIn, problemOfLink } from './log-in.ts'
import './sign-in.css'

/** `wasIn`: the person has just been somewhere in the console. */
export function SignIn({ wasIn }: { readonly wasIn: boolean }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState(problemOfLink)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsBusy(true)
    const refused = await logIn({ token: token.trim() })
    setIsBusy(false)
    setProblem(refused)
    if (refused !== null) return
    setToken('')
    reportAnswer()
    await queryClient.resetQueries()
  }
  return (
    <main className="sign-in">
      <form className="sign-in-form" onSubmit={(event) => void submit(event)}>
        <h1>
          <Mark /> Factotum
        </h1>
        {wasIn && (
          <p role="status">You are logged out: the login has expired, or its token was removed. Log in again.</p>
        )}
        <TextField
          label="Token"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={token}
          error={problem}
          onChange={(event) => setToken(event.target.value)}
        />
        <Button kind="main" type="submit" isBusy={isBusy}>
          Log in
        </Button>
        <p className="soft small">
          On the machine of the server, <code>npx factotum login</code> prints a link that logs you in without a token.
        </p>
      </form>
    </main>
  )
}
