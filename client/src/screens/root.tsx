// Provides the App and the layout to all views.
import type { ReadonlySignal } from '@preact/signals'
import type { App } from '../app'
import { AppContext } from '../panels/context'
import { LayoutContext, type Layout } from './layout'
import { Screen } from './screen'

export function Root({ app, layout }: { app: App; layout: ReadonlySignal<Layout> }) {
  return (
    <AppContext.Provider value={app}>
      <LayoutContext.Provider value={layout}>
        <Screen />
      </LayoutContext.Provider>
    </AppContext.Provider>
  )
}
