// Member colours have enough contrast in both themes, whatever a team file says.
import { describe, expect, it } from 'vitest'
import { HUES } from '../identity/identity'
import { contrast, tones, toneStyle } from './tones'

const WILD = ['#000000', '#ffffff', '#202050', '#333333', '#7a1020', '#e8c468', '#0000ff', '#ffff00', ...HUES]

describe('a member’s colour', () => {
  it.each(WILD)('%s stands out from each ground, and its letter from it', (color) => {
    const { dark, light } = tones(color)
    for (const ground of ['#0d0f1a', '#151827', '#1f2438'])
      expect(contrast(dark.color, ground), ground).toBeGreaterThanOrEqual(3)
    for (const ground of ['#ebe2cb', '#f3ecd9', '#fbf7ec'])
      expect(contrast(light.color, ground), ground).toBeGreaterThanOrEqual(3)
    for (const t of [dark, light]) expect(contrast(t.color, t.ink)).toBeGreaterThanOrEqual(3)
  })
  it('stays as it is where it can be seen', () => {
    expect(tones('#e8c468').dark.color).toBe('#e8c468')
    expect(tones('#3f6fb5').light.color).toBe('#3f6fb5')
  })
  it('is stone where there is none, or no colour', () => {
    expect(tones(undefined)).toEqual(tones('#7d82a0'))
    expect(tones('red;x')).toEqual(tones('#7d82a0'))
    expect(Object.keys(toneStyle('#202050'))).toEqual(['--on-dark', '--on-light', '--ink-dark', '--ink-light'])
  })
})
