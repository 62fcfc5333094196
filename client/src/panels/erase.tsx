// Erasing: a dialog that says plainly what goes and that it cannot be undone, then the
// receipt of what was changed and what cannot be reached. And what is left of a
// conversation that was erased: a sentence.
import { useEffect, useState } from 'preact/hooks'
import type { Receipt } from '../net/protocol.gen'
import { isErased } from '../state/erased'
import type { RealmModel } from '../state/model'
import type { Erasing } from '../talks'
import { clock, count, plural, words } from '../words'
import { useApp } from './context'
import { Dialog } from './dialog'
import { StateMark } from './marks'

export function EraseDialog({ realm, erasing }: { realm: RealmModel; erasing: Erasing }) {
  const app = useApp()
  const w = words.keep
  const me = erasing.what === 'me'
  const [sent, setSent] = useState(false)
  const pending = app.pending.value.find(
    (p) =>
      p.frame.type === 'history:erase' &&
      (me ? p.frame.spectatorId === erasing.id : p.frame.conversationId === erasing.id),
  )
  const receipt =
    realm.receipt && (me ? realm.receipt.spectatorId === erasing.id : realm.receipt.conversationId === erasing.id)
      ? realm.receipt
      : null
  const refused = pending?.status === 'refused'
  const done = receipt !== null || (sent && pending === undefined && isErased(realm, erasing.id))
  const working = pending !== undefined && !refused
  const close = () => {
    if (refused) app.discard(pending.requestId)
    app.talks.erasing.value = null
    if (me && done) app.beginAgain()
  }
  const erase = () => {
    if (refused) app.discard(pending.requestId)
    app.send(
      me ? { type: 'history:erase', spectatorId: erasing.id } : { type: 'history:erase', conversationId: erasing.id },
    )
    setSent(true)
  }
  // The reader of a screen is led to what changed.
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
    <Dialog title={me ? w.eraseMeAsk : w.eraseAsk(erasing.title)} onClose={close} testid="erase">
      <p>{me ? w.eraseMeText : w.eraseText}</p>
      {erasing.what === 'conversation' && erasing.note && <p>{erasing.note}</p>}
      <p>
        <strong>{w.final}</strong>
      </p>
      {refused && (
        <p class="problem" role="alert">
          {w.failed} {pending.error?.message}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="danger" data-testid="erase-yes" onClick={erase}>
          {w.yes}
        </button>
        <button type="button" data-testid="erase-no" data-first onClick={close}>
          {me ? w.noMe : w.no}
        </button>
      </div>
    </Dialog>
  )
}

/** What of a receipt people have seen, what matters most first; all else are records of the server. */
const SEEN = ['conversations', 'messages', 'findings', 'quests', 'artifacts', 'insights', 'names', 'skills']

function ReceiptText({ receipt }: { receipt: Receipt | null }) {
  const w = words.keep
  // The server has answered another way: it is done, and that is what is known.
  if (!receipt) {
    return (
      <p data-testid="receipt" role="status">
        {w.gone}
      </p>
    )
  }
  const said = (what: string) => (n: number) => (w.things[what] ? plural(n, w.things[what]) : `${count(n)} ${what}`)
  const changed = Object.entries(receipt.changed).filter(([, n]) => n > 0)
  // What a person knows, then in one line the records that it was kept in.
  const seen = SEEN.flatMap((what) => changed.filter(([k]) => k === what))
  const records = changed.filter(([k]) => !SEEN.includes(k)).map(([what, n]) => said(what)(n))
  const unreached = receipt.unreached
  return (
    <div class="receipt" data-testid="receipt" role="status" tabIndex={0}>
      {receipt.doneAt && <p class="quiet">{w.took(clock(receipt.doneAt))}</p>}
      <section>
        <h3>{w.changed}</h3>
        {changed.length === 0 ? (
          <p class="quiet">{w.doneNothing}</p>
        ) : (
          <ul>
            {seen.map(([what, n]) => (
              <li key={what}>{said(what)(n)}</li>
            ))}
            {records.length > 0 && <li class={seen.length > 0 ? 'quiet' : undefined}>{w.records(records)}</li>}
            {receipt.removed && receipt.removed.length > 0 && <li class="quiet">{w.setAside(receipt.removed)}</li>}
          </ul>
        )}
      </section>
      <section>
        <h3>{w.unreached}</h3>
        {unreached.length === 0 ? (
          <p class="quiet">{w.unreachedNone}</p>
        ) : (
          <ul>
            {unreached.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

/** What is left on the screen of who had it open. */
export function ErasedTalk({ onBack }: { onBack: () => void }) {
  return (
    <div class="talk-body" data-testid="erased">
      <div class="empty" role="status">
        <p>{words.keep.erased}</p>
        <p class="quiet">{words.keep.erasedNext}</p>
        <div class="buttons">
          <button type="button" data-testid="erased-leave" onClick={onBack}>
            {words.keep.toOthers}
          </button>
        </div>
      </div>
    </div>
  )
}
