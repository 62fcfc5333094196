// What the page says of a process before it starts.
import { describe, expect, it } from 'vitest'
import type { TemplateInfo } from './net/protocol.gen'
import { about, inShort } from './words-driver'

const template = (driver: TemplateInfo['driver'], ...ids: string[]): TemplateInfo => ({
  id: 'code_review',
  name: 'Code review',
  description: 'Ten heroes read it.',
  roles: ids,
  stages: ['One'],
  driver,
  cast: ids.map((id) => ({ id, name: id, color: '#fff', played: true })),
})

describe('what a template is about', () => {
  it('counts the scouts that are there', () => {
    expect(about(template('scout', 'sage', 'bard', 'oracle'))).toMatch(
      /^Two scouts read .*\. The Oracle weighs .* one report\.$/,
    )
    expect(about(template('scout', 'sage'))).toBe('A scout reads the repository with checks of its own.')
  })
  it('is what its file says where no scouts play it', () => {
    expect(about(template('script', 'sage', 'oracle'))).toBe('Ten heroes read it.')
  })
})

describe('a template in short', () => {
  const storm = (id: string, name: string, played: boolean, driver: TemplateInfo['driver'] = 'none') => ({
    ...template(driver, 'a', 'b'),
    id,
    name,
    cast: ['a', 'b'].map((role) => ({ id: role, name: role, color: '#fff', played })),
  })
  it('says that it is a brainstorm if its name does not, how long people take, and what comes out', () => {
    expect(inShort(storm('rapid_fire', 'Rapid fire', false))).toEqual([
      'brainstorm',
      'people play 2 roles',
      'about 15 minutes',
      'the best three ideas and a plan',
    ])
    expect(inShort(storm('standard_brainstorm', 'Standard brainstorm', false))).toEqual([
      'people play 2 roles',
      'about 30 minutes',
      'a recommendation',
    ])
  })
  it('counts the scouts of a review', () => {
    expect(inShort(template('scout', 'sage', 'oracle'))[0]).toBe('one scout and the Oracle')
    expect(inShort(template('scout', 'sage', 'bard'))[0]).toBe('two scouts')
  })
  it('does not say how long it takes if that is unknown', () => {
    expect(inShort(storm('scamper', 'SCAMPER', true, 'model'))).toEqual([
      'brainstorm',
      'a model plays all roles',
      '1 stage',
      'a concept',
    ])
    expect(inShort(storm('retrospective', 'Retrospective', false))).toEqual([
      'people play 2 roles',
      '1 stage',
      'a text from each stage',
    ])
  })
})
