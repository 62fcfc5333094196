// Which texts are commands, and which name of a command is near to a mistyped one.
import { expect, it } from 'vitest'
import { commandIn, isCommand, mistyped } from './slash'

it('a command is one word behind a slash; a path and other texts are words', () => {
  expect(
    ['/pause', '/mode fast', '/nosuch x', '/usr/bin is missing', '/pause/now', 'a /pause', ''].map(commandIn),
  ).toEqual(['/pause', '/mode', '/nosuch', '', '', '', ''])
  expect(['/mode fast', '/mode\nfast', '/nosuch', '/usr/bin'].map(isCommand)).toEqual([true, true, false, false])
})

it('a command that there is not is refused, with the name of a near one', () => {
  expect(mistyped('/nosuch thing')).toBe('There is no command /nosuch. /help lists them.')
  expect(mistyped('/puase')).toBe('There is no command /puase. Do you mean /pause?')
  expect(mistyped('/Skip ideator')).toBe('There is no command /Skip. Do you mean /skip?')
  for (const text of ['/skip ideator', '/usr/bin is missing', 'and/or', 'hello']) expect(mistyped(text)).toBe('')
})
