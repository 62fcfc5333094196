// Chooses the screen. The start screen and the setup are shown also without a world. Every screen has the banner
// about a lost connection.
import { ConnectionBanner } from '../panels/connection-banner'
import { useApp } from '../panels/context'
import { AskName } from './ask-name'
import { Boot } from './boot'
import { GameScreen } from './game-screen'
import { Setup } from './setup'
import { Splash } from './splash'
import { usePressed } from './use-pressed'

export function Screen() {
  const app = useApp()
  const screen = app.screen.value
  const pressed = usePressed()
  const { realm } = app.model
  const game = screen === 'game' && realm !== null
  return (
    <>
      {game ? <GameScreen realm={realm} /> : <ConnectionBanner />}
      {screen === 'splash' ? <Splash /> : screen === 'setup' ? <Setup /> : !game && <Boot />}
      {app.naming.value && <AskName near={pressed.current} />}
    </>
  )
}
