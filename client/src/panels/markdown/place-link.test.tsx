// A link in what somebody says leads to a place of the realm, such as a result, without leaving the page.
import { expect, it } from 'vitest'
import { chat, choose, openConversations, row } from '../../testing/conversation-page'
import { drawn, find } from '../../testing/page'

it('a link to a place of the realm shows it, and one to another realm or script is text', async () => {
  const text = '[all](/r/r1/result/c9) [row](/r/r1/t/c2#m5-a) [other](/r/r2/result/c9) [bad](/r/r1/x) [no](/api/realms)'
  const p = await openConversations({ views: [chat({ messages: [row('a', { content: text })] })] })
  await choose(p, 'c2')
  const links = [...p.root.querySelectorAll<HTMLAnchorElement>('[data-testid="place-link"]')]
  expect(links.map((a) => a.getAttribute('href'))).toEqual(['/r/r1/result/c9', '/r/r1/t/c2#m5-a'])
  expect(find(p, 'place-link').textContent).toBe('all')
  find(p, 'place-link').click()
  await drawn()
  expect(p.app.places.at.value).toEqual({ kind: 'result', realmId: 'r1', id: 'c9' })
  expect(p.app.places.arrived.value?.place).toEqual({ kind: 'result', realmId: 'r1', id: 'c9' })
})
