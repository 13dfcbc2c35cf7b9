/** The secret of a new token, above whatever page is there until it is kept; the browser asks before it leaves it. */
import { useEffect, useState } from 'react'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { TextAreaField } from '../ui/controls/field.tsx'
import { COPY_BY_HAND, copyText } from '../ui/display/copy-text.ts'
import { showSecret, useNewSecret } from '../ui/feedback/new-secret.ts'
import { Problem } from '../ui/feedback/problem.tsx'

export function NewToken() {
  const secret = useNewSecret()
  return secret === null ? null : <Secret secret={secret} onClose={() => showSecret(null)} />
}

type Copying = 'not yet' | 'copied' | 'refused'

const HINTS: Readonly<Record<Copying, string>> = {
  'not yet': 'It is shown only once. Copy it to where it is used.',
  copied: 'It is shown only once. Put it where it is used.',
  refused: 'It is shown only once.',
}

function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const [copying, setCopying] = useState<Copying>('not yet')
  const isCopied = copying === 'copied'
  useAskBeforeLeaving(!isCopied)
  const copy = async (): Promise<void> => setCopying((await copyText(secret)) ? 'copied' : 'refused')
  const actions = (
    <>
      <Button onClick={onClose}>I have kept it</Button>
      <Button kind="main" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </>
  )
  return (
    <Dialog
      title="The new token"
      isOpen
      onClose={onClose}
      actions={actions}
      keptOpen={isCopied ? undefined : 'Copy the token first. It cannot be shown again once this is closed.'}
    >
      <TextAreaField
        label="Token"
        rows={2}
        hint={HINTS[copying]}
        readOnly
        value={secret}
        onFocus={(event) => event.target.select()}
        onCopy={() => setCopying('copied')}
      />
      {copying === 'refused' && <Problem>{COPY_BY_HAND}</Problem>}
    </Dialog>
  )
}

function useAskBeforeLeaving(isAsking: boolean): void {
  useEffect(() => {
    if (!isAsking) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isAsking])
}
