// The text of a bubble stays within the bubble.
import { describe, expect, it } from 'vitest'
import { Overlay } from './overlay'
import { breakable, linesOf } from './wrap'

const PATH = 'modules/caddyhttp/fileserver/matcher_test.go'

describe('a word longer than the line of a bubble', () => {
  it('breaks after slashes, dots, underlines and hyphens, and a short word does not', () => {
    expect(breakable(PATH)).toEqual(['modules/', 'caddyhttp/', 'fileserver/', 'matcher_', 'test.', 'go'])
    expect(breakable('See a/b.go now.')).toEqual(['See ', 'a/b.go ', 'now.'])
    expect(breakable('one-hundred …').join('')).toBe('one-hundred …')
  })

  it('takes as many lines as its parts need', () => {
    expect(linesOf(PATH, 28)).toBe(2)
    expect(linesOf(`${PATH} and 16 more.`, 28)).toBe(3)
    expect(linesOf('x'.repeat(60), 28)).toBe(3)
    expect(linesOf('four words on it', 28)).toBe(1)
    expect(linesOf('a word and another one here.', 28)).toBe(1)
  })

  it('has points on the page at which it can break, and names have none', () => {
    const host = document.createElement('div')
    new Overlay(host).show([
      { id: 'says', kind: 'speech', text: `In ${PATH}.`, x: 0, y: 0 },
      { id: 'name', kind: 'object', text: PATH, x: 0, y: 0 },
    ])
    const [says, name] = [...host.children]
    expect(says!.textContent).toBe(`In ${PATH}.`)
    expect(says!.innerHTML).toContain('modules/<wbr>caddyhttp/<wbr>fileserver/<wbr>matcher_<wbr>test.')
    expect(name!.innerHTML).toBe(PATH)
  })
})
