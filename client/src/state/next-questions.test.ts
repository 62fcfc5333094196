// Questions at the end of an answer (P9.21).
import { describe, expect, it } from 'vitest'
import { splitAnswer } from './next-questions'

describe('the questions that follow an answer', () => {
  it('are its last paragraph, and no part of its text (P9.21)', () => {
    expect(splitAnswer('It counts sheep.\n\nAsk next:\n- What is risky here?\n- Who knows `a b.go`?')).toEqual({
      text: 'It counts sheep.',
      questions: ['What is risky here?', 'Who knows `a b.go`?'],
    })
    expect(splitAnswer('Ask next:\n- What?\n')).toEqual({ text: '', questions: ['What?'] })
  })

  it('are out of sight while they arrive', () => {
    expect(splitAnswer('Sheep.\n\nAsk next:\n')).toEqual({ text: 'Sheep.', questions: [] })
    expect(splitAnswer('Sheep.\n\nAsk next:\n-')).toEqual({ text: 'Sheep.', questions: [] })
  })

  it.each([
    'Sheep.',
    'You may ask next:\n- What?',
    'Sheep. Ask next: - What?',
    'Sheep.\n\nAsk next:\nthis and that\n- What?',
    `Sheep.\n\nAsk next:${'\n- What?'.repeat(6)}`,
  ])('are not in %j', (text) => {
    expect(splitAnswer(text)).toEqual({ text, questions: [] })
  })
})
