// What a person says to everybody stands in the transcript as the message of that person.
import { expect, it } from 'vitest'
import { openConversations } from '../../testing/conversation-page'
import { drawn, find } from '../../testing/page'
import { AT } from '../../testing/samples'

it('a spectator is the author of a message, and not a line of the system', async () => {
  const p = await openConversations({})
  p.net.last.say([
    {
      type: 'spectator:list',
      count: 1,
      spectators: [{ spectatorId: 'p7', name: 'Tom', color: '#8f98ea', role: 'spectator' }],
    },
    {
      type: 'spectator:command',
      seq: 51,
      at: AT,
      spectatorId: 'p7',
      name: 'Tom',
      color: '#8f98ea',
      text: 'And the river?',
    },
  ])
  await drawn()
  const said = [...find(p, 'transcript').querySelectorAll('.bubble')].find((e) => e.textContent?.includes('the river'))
  expect(said?.querySelector('.who')?.textContent).toBe('Tom')
  expect(said?.querySelector('.as')?.textContent).toBe('spectator')
})
