// The form that begins a forge: what it is, and a button.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { Refusals } from '../../panels/refusals'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { beginForge } from './begin'
import { forgeWords } from './words'

export function ForgeStart({ choice, onBegun, onDone }: StartProps) {
  const app = useApp()
  const w = forgeWords
  const [sent, setSent] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  const busy = pending !== undefined && pending.status !== 'refused'
  useEffect(() => {
    if (sent !== '' && pending === undefined) onBegun()
  }, [sent, pending])
  const begin = () => {
    app.talks.clearRefusedStarts()
    const result = beginForge(app)
    if (result.ok) setSent(result.requestId)
  }
  return (
    <div class="fields">
      {choice}
      <p class="quiet">{w.about}</p>
      <Refusals only={['conversation.start']} />
      <div class="buttons">
        <button type="button" class="primary" data-testid="forge-go" disabled={busy} onClick={begin}>
          {busy ? w.beginning : w.begin}
        </button>
        <button type="button" onClick={onDone}>
          {words.chats.cancel}
        </button>
      </div>
    </div>
  )
}
