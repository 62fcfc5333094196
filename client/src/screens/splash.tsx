// The first screen of a new visitor.
import { useEffect, useRef } from 'preact/hooks'
import { Torch } from '../map/torch'
import { useApp } from '../panels/context'
import { words } from '../words'

export function Splash() {
  const app = useApp()
  const enter = useRef<HTMLButtonElement>(null)
  useEffect(() => enter.current?.focus(), [])
  return (
    <main class="splash" data-testid="splash">
      <div class="splash-body">
        <div class="splash-title">
          <Torch />
          <h1>{words.game}</h1>
          <Torch />
        </div>
        <p class="splash-line">{words.splash.line}</p>
        <p class="quiet">{words.splash.more}</p>
        <button ref={enter} type="button" class="primary big" data-testid="begin" onClick={() => app.begin()}>
          {words.splash.begin}
        </button>
      </div>
    </main>
  )
}
