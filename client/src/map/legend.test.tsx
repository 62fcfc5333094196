// The legend of the map: where it opens, and that it says which land is whose.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Fort } from '../net/protocol.gen'
import { BIOMES } from './canvas/terrain'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../testing/page'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { legendWords } from '../words-legend'

// No test can load the atlas: the server answers 404.
beforeEach(() => void vi.stubGlobal('fetch', () => Promise.resolve({ ok: false, status: 404 })))
afterEach(() => vi.unstubAllGlobals())

const fort = (name: string, biome: Fort['biome']): Fort => {
  const at = { x: 5, y: 5, gateX: 5, gateY: 6 }
  return { agentId: name, name, color: '#4fb8a3', biome, stage: 1, ...at }
}

async function open(forts: Fort[] = []): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, { ...running(50), forts }, [view()]), overlays(), seated)
  await drawn()
  return p
}

async function shown(p: Page, testid: string): Promise<string> {
  for (let i = 0; i < 50 && !has(p, testid); i++) await drawn()
  return find(p, testid).textContent ?? ''
}

describe('the legend', () => {
  it('opens from the map, and says which land belongs to whose camp', async () => {
    const p = await open([fort('Ann', 'hills'), fort('Bob', 'hills'), fort('Cleo', 'coastal')])
    find(p, 'open-legend').click()
    const text = await shown(p, 'legend')
    expect(text).toContain('HillsCamps of Ann and Bob')
    expect(text).toContain('CoastCamps of Cleo')
    expect(text).toContain('ForestNo camp yet')
    expect(text).toContain('It says nothing about languages')
    press(find(p, 'legend-dialog'), 'Escape')
  })

  it('is in the help of the key "?", and in the palette', async () => {
    const p = await open()
    press(document.body, '?')
    expect(await shown(p, 'keys')).toContain('Ctrl or Cmd + K')
    expect(await shown(p, 'legend')).toContain(legendWords.landText)
    const q = await open()
    press(document.body, 'k', { ctrlKey: true })
    await shown(q, 'palette')
    await fill(find(q, 'palette-text'), 'legend')
    press(find(q, 'palette-text'), 'Enter')
    expect(await shown(q, 'legend-dialog')).toContain(legendWords.landText)
  })

  it('begins with what people ask about first, and ends with the ground', async () => {
    const p = await open()
    find(p, 'open-legend').click()
    await shown(p, 'legend')
    const titles = [...find(p, 'legend').querySelectorAll('h3')].map((h) => h.textContent)
    expect(titles.slice(0, 2)).toEqual([legendWords.marks, legendWords.heroes])
    expect(titles.at(-1)).toBe(legendWords.land)
  })

  it('knows every land that the map draws', () => {
    expect(Object.keys(legendWords.lands).sort()).toEqual([...BIOMES].sort())
  })
})
