// Provides the App and the viewport to all components.
import type { ReadonlySignal } from '@preact/signals'
import type { App } from '../app'
import { AppContext } from '../panels/context'
import { Screen } from './screen'
import { ViewportContext, type Viewport } from './viewport'

export function Root({ app, viewport }: { app: App; viewport: ReadonlySignal<Viewport> }) {
  return (
    <AppContext.Provider value={app}>
      <ViewportContext.Provider value={viewport}>
        <Screen />
      </ViewportContext.Provider>
    </AppContext.Provider>
  )
}
