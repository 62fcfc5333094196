// The start screen: one sentence, one button and a link to everything else, in front of the realm's country.
import { useEffect, useState } from 'preact/hooks'
import { canDraw } from '../map/can-draw'
import { Torch } from '../map/torch'
import { useApp } from '../panels/context'
import { Refusals } from '../panels/refusals'
import { useSelect } from '../panels/use-select'
import { startWords } from '../words-start'
import { words } from '../words'
import { Backdrop } from './backdrop'
import { bestStart, STARTS } from './best-start'
import { Horizon } from './horizon'
import { Progress } from './progress'
import { StartButton } from './start-button'
import { useOffered } from './use-offered'

export function Splash() {
  const app = useApp()
  const { realm, server, welcome } = app.model
  const host = app.host.value
  const [drawn, setDrawn] = useState(canDraw)
  const start = useSelect(() => bestStart(app.model), [app])
  const live = app.live.value
  const offered = useOffered(realm === null && (start?.do === 'review' || start?.do === 'link') ? start.path : '')
  const shown = realm ?? offered
  const empty = welcome !== null && welcome.realmId === null
  useEffect(() => {
    if (live && empty) app.send({ type: 'player:list-realms' })
  }, [app, live, empty])
  return (
    <main class="splash" data-testid="splash">
      <Horizon />
      {shown && drawn && <Backdrop key={shown.id} realm={shown} onFail={() => setDrawn(false)} />}
      <div class="splash-body">
        <p class="splash-title">
          <Torch />
          {words.game}
        </p>
        <h1>{startWords.line}</h1>
        {!host ? (
          <p class="quiet">{startWords.nothing}</p>
        ) : start === null ? (
          <p class="quiet" role="status">
            {server === null ? startWords.connecting : startWords.opening}
          </p>
        ) : (
          <>
            {server?.gamePhase === 'analyzing' && <p role="status">{words.setup.analyzing}</p>}
            <StartButton start={start} />
            {start.do === 'review' && <p class="quiet">{startWords.free}</p>}
            <Progress />
            <Refusals only={STARTS} />
          </>
        )}
        <nav class="splash-more" aria-label={startWords.more}>
          {host && (
            <button type="button" class="link" data-testid="begin" onClick={() => app.begin()}>
              {startWords.more}
            </button>
          )}
          {/* This element appears and disappears with the agents. It comes last, so that it does not move the link. */}
          {realm && start?.do === 'review' && (
            <button type="button" class="link" data-testid="start-look" onClick={() => app.enter()}>
              {startWords.look(realm.world.realm.name)}
            </button>
          )}
        </nav>
      </div>
    </main>
  )
}
