// Which screen is shown. Only the setup and the splash stand without a world; a
// lost connection is said on each of them.
import type { ReadonlySignal } from '@preact/signals'
import type { App } from '../app'
import { ConnectionBanner } from '../panels/banner'
import { AppContext } from '../panels/context'
import { Boot } from './boot'
import { Game, LayoutContext } from './game'
import type { Layout } from './layout'
import { Setup } from './setup'
import { Splash } from './splash'

export function Root({ app, layout }: { app: App; layout: ReadonlySignal<Layout> }) {
  return (
    <AppContext.Provider value={app}>
      <LayoutContext.Provider value={layout}>
        <Screen app={app} />
      </LayoutContext.Provider>
    </AppContext.Provider>
  )
}

function Screen({ app }: { app: App }) {
  const screen = app.screen.value
  if (screen === 'game' && app.model.value.realm !== null) return <Game />
  return (
    <>
      <ConnectionBanner />
      {screen === 'splash' ? <Splash /> : screen === 'setup' ? <Setup /> : <Boot />}
    </>
  )
}
