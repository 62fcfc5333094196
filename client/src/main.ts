// Starts the page: determines the tab's id, creates the App and renders it.
import { effect } from '@preact/signals'
import { h, render } from 'preact'
import './kinds/rules'
import { App } from './app'
import { exposeDebug } from './debug'
import { browserStorage, tabStorage } from './identity/storage'
import { Tab, type Channel } from './identity/tab'
import { showTheme } from './identity/theme'
import { STALE_MS, type Socket } from './net/connection'
import { newRequestId } from './net/frames'
import { socketUrl } from './net/url'
import { browserBar } from './places'
import { loadGame } from './screens/game-screen'
import { Root } from './screens/root'
import { watchViewport } from './screens/viewport'
import './styles/index.css'

function channel(): Channel | null {
  try {
    return new BroadcastChannel('agentDungeon') as unknown as Channel
  } catch {
    return null
  }
}

async function start(): Promise<void> {
  const kept = tabStorage()
  const tab = await Tab.claim(kept, channel(), newRequestId)
  const app = new App({
    open: () => new WebSocket(socketUrl(location)) as Socket,
    random: Math.random,
    browser: browserStorage(),
    tabStorage: kept,
    tab,
    bar: browserBar(window),
    drawEvery: 30,
  })
  addEventListener('online', () => app.wake())
  addEventListener('pagehide', () => tab.close())
  addEventListener('pageshow', (e) => {
    if (e.persisted) tab.reopen()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') app.wake()
  })
  setInterval(() => {
    if (document.visibilityState === 'visible') app.probe()
  }, STALE_MS)
  exposeDebug(app)
  effect(() => showTheme(document.documentElement, app.theme.value))
  const root = document.getElementById('app')
  if (root) render(h(Root, { app, viewport: watchViewport() }), root)
  app.start()
  void loadGame()
}

void start()
