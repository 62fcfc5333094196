// The form that starts a forge: an explanation and a button.
import { useApp } from '../../panels/context'
import { Refusals } from '../../panels/refusals'
import { useSent } from '../../panels/use-sent'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { startForge } from './start-forge'
import { forgeWords } from './words'

export function ForgeStart({ choice, onStarted, onDone }: StartProps) {
  const app = useApp()
  const w = forgeWords
  const { busy, follow } = useSent(onStarted)
  const begin = () => {
    app.discardRefused('conversation.start')
    const result = startForge(app)
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
          {words.conversation.cancel}
        </button>
      </div>
    </div>
  )
}
