// The form that begins a forge: what it is, and a button.
import { useApp } from '../../panels/context'
import { Refusals } from '../../panels/refusals'
import { useSent } from '../../panels/use-sent'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { beginForge } from './begin'
import { forgeWords } from './words'

export function ForgeStart({ choice, onBegun, onDone }: StartProps) {
  const app = useApp()
  const w = forgeWords
  const { busy, follow } = useSent(onBegun)
  const begin = () => {
    app.talks.clearRefusedStarts()
    const result = beginForge(app)
    if (result.ok) follow(result.requestId)
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
