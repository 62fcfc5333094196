// A whole page over a fake network, with or without its screens.
import { afterEach } from 'vitest'
import { signal } from '@preact/signals'
import { h, render } from 'preact'
import { act } from 'preact/test-utils'
import '../kinds/rules'
import '../kinds/registry'
import { App } from '../app'
import { safeStorage } from '../identity/storage'
import { noBar, type AddressBar } from '../places'
import { Tab, type Channel } from '../identity/tab'
import type { Layout, Viewport } from '../screens/viewport'
import { loadGame } from '../screens/game-screen'
import { Root } from '../screens/root'
import { FakeNet, type FakeSocket } from './fake-socket'
import { memoryStorage } from './storages'

export interface Page {
  app: App
  net: FakeNet
  browser: Storage
  session: Storage
  root: HTMLElement
}

export const KNOWN = {
  'agentDungeon.identity': '{"name":"Ann","color":"#4fb8a3"}',
  'agentDungeon.realmId': 'r1',
  'agentDungeon.gamePhase': 'playing',
}

let tabs = 0

/** The roots of the pages of the running test. */
const roots: HTMLElement[] = []

// Unmounts the pages of a test. The effects of a page that stayed mounted would run during a later test, or after
// the test environment is gone. Preact ends effects after the next frame, act ends them at once.
afterEach(() =>
  act(() => {
    for (const root of roots.splice(0)) render(null, root)
  }),
)

export async function openPage(
  browser = memoryStorage(),
  session = memoryStorage(),
  at: Layout | Partial<Viewport> = 'desk',
  channel: Channel | null = null,
  bar: AddressBar = noBar,
): Promise<Page> {
  await loadGame()
  const net = new FakeNet()
  const kept = safeStorage(() => session)
  const tab = await Tab.claim(kept, channel, () => `t${++tabs}`)
  const app = new App({
    open: net.open,
    random: () => 0,
    browser: safeStorage(() => browser),
    tabStorage: kept,
    tab,
    drawEvery: 0,
    bar,
  })
  const root = document.createElement('div')
  document.body.replaceChildren(root)
  roots.push(root)
  const own = typeof at === 'string' ? { layout: at } : at
  const viewport = signal<Viewport>({ layout: 'desk', calm: false, light: false, ...own })
  render(h(Root, { app, viewport }), root)
  app.start()
  return { app, net, browser, session, root }
}

/** Waits until everything is rendered. */
export async function drawn(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((done) => setTimeout(done, 0))
}

export function find(page: Page, testid: string): HTMLElement {
  const el = page.root.querySelector<HTMLElement>(`[data-testid="${testid}"]`)
  if (!el) throw new Error(`there is no ${testid} in: ${page.root.textContent}`)
  return el
}

export function has(page: Page, testid: string): boolean {
  return page.root.querySelector(`[data-testid="${testid}"]`) !== null
}

/** Types a text and waits until it is rendered. */
export async function fill(el: HTMLElement, value: string): Promise<void> {
  ;(el as HTMLInputElement | HTMLTextAreaElement).value = value
  el.dispatchEvent(new Event('input', { bubbles: true }))
  await drawn()
}

export function press(el: HTMLElement, key: string, over: KeyboardEventInit = {}): void {
  el.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...over }))
}

export function greet(s: FakeSocket, ...frames: unknown[]): void {
  s.accept()
  s.say(frames)
}
