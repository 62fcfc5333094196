// What the palette finds for a typed text, and in which order.
import { describe, expect, it } from 'vitest'
import type { Entry } from './entries'
import { matches } from './match'

const entry = (text: string, note = '', over: Partial<Entry> = {}): Entry => ({
  kind: 'file',
  id: `${text} ${note}`,
  text,
  note,
  target: { to: 'file', path: text },
  ...over,
})
const found = (typed: string, ...all: Entry[]) => matches(all, typed).entries.map((e) => e.text)

describe('the matches of a typed text', () => {
  const scattered = entry('caddytest/integration/caddyfile_adapt/tls_automation_policies_1.txt')

  it('are whole words first, then beginnings of words, then parts of words', () => {
    const all = [entry('cmd/badmin.go'), scattered, entry('cmd/administer.go'), entry('admin.go'), entry('newAdmin.go')]
    expect(found('admin', ...all)).toEqual(['admin.go', 'newAdmin.go', 'cmd/administer.go', 'cmd/badmin.go'])
  })

  it('have no entry with scattered letters, if there are better ones', () => {
    expect(found('admin', scattered, entry('admin.go'))).toEqual(['admin.go'])
    expect(found('tlsauto', scattered)).toEqual([scattered.text])
    expect(matches([scattered, entry('admin.go')], 'admin').more).toBe(false)
  })

  it('are in the text before the note, and words can be in both', () => {
    const finding = entry('Timeout missing', 'admin.go:3')
    expect(found('admin', finding, entry('administer.go'))).toEqual(['administer.go', 'Timeout missing'])
    expect(found('timeout admin', finding, scattered)).toEqual(['Timeout missing'])
  })

  it('end with what matches any text', () => {
    const ask = entry('Ask Bard: admin', '', { last: true })
    expect(found('admin', ask, scattered, entry('admin.go'))).toEqual(['admin.go', 'Ask Bard: admin'])
  })
})
