// The dialog of an erasure: the question, the progress, the receipt.
import { useEffect, useState } from 'preact/hooks'
import { isErased } from '../state/erased'
import type { RealmModel } from '../state/model'
import type { Erasing } from '../conversations'
import { words } from '../words'
import { useApp } from './context'
import { Dialog } from './dialog'
import { StateMark } from './state-mark'
import { EraseAsk } from './erase-ask'
import { ReceiptText } from './receipt-text'

export function EraseDialog({ realm, erasing }: { realm: RealmModel; erasing: Erasing }) {
  const app = useApp()
  const w = words.erasure
  const me = erasing.what === 'me'
  const [sent, setSent] = useState(false)
  const ofThis = (x: { spectatorId?: string; conversationId?: string }) =>
    (me ? x.spectatorId : x.conversationId) === erasing.id
  const pending = app.pending.value.find((p) => p.frame.type === 'history:erase' && ofThis(p.frame))
  const receipt = realm.receipt && ofThis(realm.receipt) ? realm.receipt : null
  const refused = pending?.status === 'refused'
  const done = receipt !== null || (sent && pending === undefined && isErased(realm, erasing.id))
  const working = pending !== undefined && !refused
  const close = () => {
    if (refused) app.discard(pending.requestId)
    app.conversations.erasing.value = null
    if (me && done) app.beginAgain()
  }
  const erase = () => {
    if (refused) app.discard(pending.requestId)
    app.send(
      me ? { type: 'history:erase', spectatorId: erasing.id } : { type: 'history:erase', conversationId: erasing.id },
    )
    setSent(true)
  }
  // Announces the end of the erasure to screen readers.
  useEffect(() => {
    if (done) document.querySelector<HTMLElement>('[data-testid="erase-done"]')?.focus()
  }, [done])
  if (done || working) {
    return (
      <Dialog title={done ? w.doneTitle : w.yes} onClose={close} testid="erase">
        {done ? (
          <ReceiptText receipt={receipt} />
        ) : (
          <p role="status" class="erase-working" data-testid="erase-working">
            <StateMark state="running" />
            {app.live.value ? w.working : w.waiting}
          </p>
        )}
        <div class="buttons">
          <button
            key={String(done)}
            type="button"
            class={done ? 'primary' : ''}
            data-testid="erase-done"
            onClick={close}
          >
            {done ? (me ? w.beginAgain : w.done) : w.hide}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <EraseAsk
      erasing={erasing}
      refused={refused ? (pending.error?.message ?? '') : null}
      onErase={erase}
      onClose={close}
    />
  )
}
