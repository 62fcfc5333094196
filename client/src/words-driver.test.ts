// What the page says of a process before it starts.
import { describe, expect, it } from 'vitest'
import type { TemplateInfo } from './net/protocol.gen'
import { about } from './words-driver'

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
