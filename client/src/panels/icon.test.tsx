// Each icon of a button is drawn within its frame, and screen readers skip it.
import { render } from 'preact'
import { expect, it } from 'vitest'
import { Icon, type IconName } from './icon'

it.each<[IconName, number]>([
  ['bin', 1],
  ['pen', 1],
  ['pin', 2],
  ['eye', 1],
  ['sheets', 1],
  ['chain', 1],
  ['tick', 1],
  ['failed', 1],
])('the icon %s is drawn in %d parts', (name, parts) => {
  const root = document.createElement('div')
  render(<Icon name={name} />, root)
  const svg = root.querySelector('svg')
  expect([svg?.getAttribute('class'), svg?.getAttribute('aria-hidden')]).toEqual(['mark', 'true'])
  const paths = [...(svg?.querySelectorAll('path') ?? [])]
  expect(paths.filter((p) => /^M[\d. ]/.test(p.getAttribute('d') ?? ''))).toHaveLength(parts)
})
