// The page folds journals that the server recorded: both folds must result in the same world (P4.6).
import '../kinds/registry'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isEvent, parse } from '../net/frames'
import { canonical, canonicalText } from './canonical'
import { applyViews, type Views } from './views'
import { applyWorld, emptyWorld } from './world'

const folder = join(import.meta.dirname, '../../../shared/testdata')
const journals = existsSync(folder) ? readdirSync(folder).filter((f) => f.endsWith('.jsonl')) : []

describe('recorded journals', () => {
  it('some have the views beside them', () =>
    expect(readdirSync(folder).some((f) => f.endsWith('.views.json'))).toBe(true))

  it('are there', () => expect(journals, `no *.jsonl in ${folder}`).not.toHaveLength(0))

  it.each(journals)('%s folds to the world that Go folded', (name) => {
    const events = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean).flatMap(parse).filter(isEvent)
    expect(events.length).toBeGreaterThan(0)
    let world = emptyWorld()
    let views: Views = {}
    events.forEach((ev, i) => {
      expect(ev.seq).toBe(i + 1)
      world = applyWorld(world, ev)
      views = applyViews(views, ev)
    })
    const expected: unknown = JSON.parse(readFileSync(join(folder, name.replace('.jsonl', '.world.json')), 'utf8'))
    expect(canonical(world)).toEqual(canonical(expected))
    expect(canonicalText(world)).toBe(canonicalText(expected))
    const told = join(folder, name.replace('.jsonl', '.views.json'))
    if (existsSync(told)) {
      // The views that Go computed from the journal. What a plan waits for is not compared, because the server
      // decides it and no event has it.
      const theirs = JSON.parse(readFileSync(told, 'utf8')) as Views
      expect(Object.keys(views).sort()).toEqual(Object.keys(theirs).sort())
      for (const [id, view] of Object.entries(views)) {
        const { plan: _, ...ours } = view
        const { plan: __, ...expected } = theirs[id]!
        expect(canonical(ours), id).toEqual(canonical(expected))
        // The questions of a forge are compared nevertheless, because they come from events.
        expect(canonical(view.plan.forge), id).toEqual(canonical(theirs[id]!.plan.forge))
      }
    }
    // Only a kill leaves a row open at the end of a journal. It must then belong to a run that is open too.
    for (const view of Object.values(views)) {
      const runs = new Set(view.activeRuns.map((r) => r.requestId))
      for (const row of view.messages) if (row.status === 'open') expect(runs).toContain(row.requestId)
    }
  })
})

describe('the canonical form', () => {
  it('takes nil, empty and absent for the same and sorts keys', () => {
    expect(canonicalText({ b: 1, a: null, c: [], d: {}, e: '', f: 0, g: false })).toBe(canonicalText({ b: 1 }))
    expect(canonicalText({ b: 1, a: 2 })).toBe('{"a":2,"b":1}')
    expect(canonicalText([])).toBe('null')
  })
  it('tells different values apart', () => {
    expect(canonicalText({ a: [1, 2] })).not.toBe(canonicalText({ a: [2, 1] }))
    expect(canonicalText({ a: ['', 'x'] })).not.toBe(canonicalText({ a: ['x'] }))
  })
  it('refuses numbers that JSON does not carry whole', () => {
    expect(() => canonical({ a: 0.5 })).toThrow()
    expect(() => canonical({ a: 2 ** 53 })).toThrow()
  })
})
