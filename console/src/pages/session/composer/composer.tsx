/**
 * Where a message is written: kept in this browser until it is sent, with what was sent before a key away, and with
 * files that are dropped, pasted or chosen.
 */
import { useSession, useSessionStore } from '@factotum/client/react'
import { useEffect, useRef, type ClipboardEvent, type KeyboardEvent, type RefObject } from 'react'
import { useChange } from '../../../data/use-change.ts'
import { CancelTurnDocument, UpdateSessionDocument, type BusyPolicy } from '../../../generated/graphql.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { SelectField } from '../../../ui/controls/field.tsx'
import { FileChips } from './file-chips.tsx'
import { useDraft } from './use-draft.ts'
import { useSending } from './use-sending.ts'
import { useSentBefore } from './use-sent-before.ts'
import type { Uploads } from './use-uploads.ts'
import './composer.css'

const BUSY: Readonly<Record<BusyPolicy, string>> = {
  QUEUE: 'waits its turn',
  COLLECT: 'waits with the others',
  STEER: 'changes the running turn',
  INTERRUPT: 'stops the running turn',
}

interface ComposerProps {
  readonly id: string
  readonly uploads: Uploads
  readonly canSend: boolean
  readonly canUpdate: boolean
  /** Nothing was said yet: all that can be done is to write. */
  readonly isFirst: boolean
}

export function Composer({ id, uploads, canSend, canUpdate, isFirst }: ComposerProps) {
  const store = useSessionStore(id)
  const isBusy = useSession(id, (state) => state.isBusy)
  const [draft, setDraft] = useDraft(id)
  const sentBefore = useSentBefore(id, draft, setDraft)
  const input = useInput(isFirst)
  const isEmpty = draft.trim() === ''
  const sending = useSending(uploads, () => {
    const attachments = uploads.take()
    // A message that the server does not take stays in the conversation, with a button to send it again.
    void store.send(draft, attachments.length === 0 ? {} : { attachments })
    setDraft('')
    sentBefore.leave()
  })
  const send = (): void => {
    if (isEmpty) return
    sending.begin()
    input.current?.focus()
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (isComposing(event.nativeEvent)) return
    if (isSending(event)) {
      event.preventDefault()
      send()
      // A message that waits for its files goes out as it was sent.
    } else if (!sending.isWaiting) sentBefore.press(event)
  }
  if (!canSend) return <p className="composer-closed soft small">You can read this session, but not write in it.</p>
  return (
    <div className="composer">
      <FileChips uploads={uploads} />
      <div className="composer-box" data-text={draft}>
        <textarea
          ref={input}
          aria-label="Message"
          placeholder="Message"
          rows={1}
          dir="auto"
          value={draft}
          onChange={(event) => {
            setDraft(event.target.value)
            sending.stop()
          }}
          onKeyDown={press}
          onPaste={(event) => pasteFiles(event, uploads)}
          data-message
        />
        <div className="composer-row">
          <AttachButton uploads={uploads} />
          <BusyChoice id={id} isBusy={isBusy} canUpdate={canUpdate} isWaiting={sending.isWaiting} />
          <span className="composer-buttons">
            {isBusy && <StopButton id={id} />}
            <Button kind="main" small icon="send" disabled={isEmpty} isBusy={sending.isWaiting} onClick={send}>
              Send
            </Button>
          </span>
        </div>
      </div>
    </div>
  )
}

function pasteFiles(event: ClipboardEvent, uploads: Uploads): void {
  if (event.clipboardData.files.length === 0) return
  event.preventDefault()
  uploads.paste(event.clipboardData.files)
}

/** Has the focus in a new session: the dialog that opened it cannot give it back, as its button is gone. */
function useInput(isFirst: boolean): RefObject<HTMLTextAreaElement | null> {
  const input = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isFirst && document.activeElement === document.body) input.current?.focus()
  }, [isFirst])
  return input
}

/** In Safari the key that takes over what an input method proposes comes after its end, and only its code says so. */
function isComposing(event: globalThis.KeyboardEvent): boolean {
  // oxlint-disable-next-line typescript/no-deprecated
  return event.isComposing || event.keyCode === 229
}

const touched = matchMedia('(pointer: coarse)')

/** The keys of a phone have no Shift+Enter: there Enter makes a new line, and the button sends. */
function isSending({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'Enter' && !shiftKey && (!touched.matches || ctrlKey || metaKey)
}

function AttachButton({ uploads }: { readonly uploads: Uploads }) {
  const chosen = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={chosen}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          if (event.target.files !== null) uploads.add(event.target.files)
          event.target.value = ''
        }}
      />
      <IconButton icon="attach" label="Attach files" onClick={() => chosen.current?.click()} />
    </>
  )
}

interface BusyChoiceProps {
  readonly id: string
  readonly isBusy: boolean
  readonly canUpdate: boolean
  /** It is sent, but its files are not there yet. */
  readonly isWaiting: boolean
}

/** Only while it matters: what becomes of a message that is sent now. */
function BusyChoice({ id, isBusy, canUpdate, isWaiting }: BusyChoiceProps) {
  const policy = useSession(id, ({ session }) => session?.busyPolicy ?? 'QUEUE')
  const { send } = useChange(UpdateSessionDocument, ({ updateSession }) => updateSession)
  if (isWaiting) return <WaitsForFiles />
  if (!isBusy) return <span className="faint small composer-hint">Enter sends, Shift+Enter makes a new line</span>
  return (
    <SelectField
      label="While a turn runs, a message"
      isLabelUnseen
      value={policy}
      disabled={!canUpdate}
      onChange={(event) => void send({ input: { id, busyPolicy: event.target.value as BusyPolicy } })}
    >
      {Object.entries(BUSY).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  )
}

function WaitsForFiles() {
  return (
    <span role="status" className="soft small">
      Goes out once its files are there
    </span>
  )
}

function StopButton({ id }: { readonly id: string }) {
  const isStopping = useSession(id, ({ turn }) => turn?.cancelRequested === true)
  const { send, isSending } = useChange(CancelTurnDocument, ({ cancelTurn }) => cancelTurn)
  return (
    <Button
      small
      kind="danger"
      icon="stop"
      isBusy={isSending || isStopping}
      onClick={() => void send({ input: { sessionId: id } })}
    >
      {isStopping ? 'Stopping' : 'Stop'}
    </Button>
  )
}
