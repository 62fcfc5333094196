// Findings on the country: none is without a mark.
import { describe, expect, it } from 'vitest'
import type { Finding, MapChange, Site } from '../../net/protocol.gen'
import { folderFor, houseMarks, MAX_MARKS, roomMarks } from './map-marks'

const finding = (path: string, severity: Finding['severity'], over: Partial<Finding> = {}): Finding => ({
  id: `${path}${severity}`,
  agentId: 'a',
  severity,
  title: '',
  text: '',
  path,
  at: '',
  ...over,
})
const site = (path: string): Site => ({
  path,
  name: path || 'keep',
  x: 10,
  y: 20,
  width: 4,
  height: 3,
  doorX: 11,
  doorY: 23,
  files: 3,
})
const room = (path: string, over: Partial<MapChange['room']>): MapChange =>
  ({ path, page: 0, pages: 1, room: { path, objects: [], doors: [], ...over } }) as unknown as MapChange
const NOW = Date.parse('2026-06-01T00:00:00Z')

describe('marks of houses', () => {
  const sites = [site(''), site('client'), site('server'), site('docs')]
  const all = [
    finding('client/a.ts', 'high'),
    finding('client/b/c.ts', 'high'),
    finding('client/b/c.ts', 'medium'),
    finding('server', 'low'),
    finding('README.md', 'info'),
    finding('', 'critical'),
    finding('elsewhere/without/a/house.go', 'low'),
  ]

  it('have every finding that stands, at the house of its folder or at the keep', () => {
    const marks = houseMarks(sites, all, [], NOW)
    expect(marks.map((m) => [m.path, m.severities])).toEqual([
      [
        '',
        [
          ['critical', 1],
          ['low', 1],
          ['info', 1],
        ],
      ],
      [
        'client',
        [
          ['high', 2],
          ['medium', 1],
        ],
      ],
      ['server', [['low', 1]]],
    ])
    expect(marks.reduce((n, m) => n + m.total, 0)).toBe(all.length)
  })

  it('have none that is withdrawn or only suspected', () => {
    const gone = [
      finding('client/a.ts', 'high', { withdrawn: 'No.' }),
      finding('client/a.ts', 'high', { confidence: 'low' }),
    ]
    expect(houseMarks(sites, gone, [], NOW)).toEqual([])
  })

  it('say what is not committed, and which folders are old', () => {
    const door = (path: string, over: object) => ({ id: path, path, name: path, x: 0, y: 0, files: 1, ...over })
    const root = room('', {
      doors: [
        door('client', { uncommitted: 2, touched: '2026-05-30T00:00:00Z' }),
        door('docs', { touched: '2024-01-01T00:00:00Z' }),
      ],
      objects: [{ id: 'r', kind: 'doc', name: 'R', path: 'R', x: 0, y: 0, committed: false }],
    })
    expect(houseMarks(sites, [], [root], NOW).map((m) => [m.path, m.uncommitted, m.old])).toEqual([
      ['', 1, ''],
      ['client', 2, ''],
      ['docs', 0, '2024-01-01T00:00:00Z'],
    ])
  })

  it('lead to the findings of their folder', () => {
    expect(folderFor(sites, all, 'client')).toBe('client')
    expect(folderFor(sites, all, '')).toBe('')
    expect(folderFor(sites, all.slice(0, 6), '')).toBe('.')
  })
})

describe('marks of a room', () => {
  it('are flags at files and banners at doors', () => {
    const change = room('client', {
      objects: [
        { id: 'a', kind: 'file', name: 'a.ts', path: 'client/a.ts', x: 3, y: 4 },
        { id: 'z', kind: 'file', name: 'z.ts', path: 'client/z.ts', x: 5, y: 4 },
      ],
      doors: [
        { id: 'd', path: 'client/b', name: 'b', x: 0, y: 4, files: 1 },
        { id: 'back', path: '', name: '', x: 9, y: 9, files: 1, back: true },
      ],
    })
    const marks = roomMarks(change, [
      finding('client/a.ts', 'low'),
      finding('client/a.ts', 'critical'),
      finding('client/b/c/d.ts', 'high'),
      finding('clients/b', 'high'),
    ])
    expect(marks.map((m) => [m.kind, m.path, m.severities])).toEqual([
      ['door', 'client/b', [['high', 1]]],
      [
        'file',
        'client/a.ts',
        [
          ['critical', 1],
          ['low', 1],
        ],
      ],
    ])
  })

  it('are bounded: those with the fewest findings are left out', () => {
    const objects = Array.from({ length: MAX_MARKS + 5 }, (_, i) => ({
      id: `${i}`,
      kind: 'file',
      name: `${i}`,
      path: `f${i}`,
      x: i,
      y: 0,
    }))
    const twice = (path: string) => [finding(path, 'low'), finding(path, 'high')]
    const findings = objects.flatMap((o, i) => (i < 7 ? [finding(o.path, 'low')] : twice(o.path)))
    const marks = roomMarks(room('', { objects }), findings)
    expect(marks.length).toBe(MAX_MARKS)
    expect(marks.every((m, i) => m.total === 2 || i >= MAX_MARKS - 2)).toBe(true)
  })
})
