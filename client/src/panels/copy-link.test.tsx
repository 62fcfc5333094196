// The addresses of a talk, a message, a realm and a folder are copied by a click.
import { afterEach, expect, it, vi } from 'vitest'
import { chat, choose, openConversations, row } from '../testing/conversation-page'
import { drawn, find } from '../testing/page'

const copied: string[] = []

afterEach(() => {
  copied.length = 0
  vi.unstubAllGlobals()
})

it('the links of a talk, a message and a folder lead to them', async () => {
  vi.stubGlobal('navigator', {
    ...navigator,
    clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) },
  })
  const p = await openConversations({ views: [chat({ messages: [row('a')] })] })
  await choose(p, 'c2')
  for (const id of ['talk-copy-link', 'copy-one-link', 'copy-place']) {
    find(p, id).click()
    await drawn()
  }
  const origin = p.app.places.linkTo({ kind: 'realm', realmId: '' }).replace(/\/r\/$/, '')
  expect(copied).toEqual([`${origin}/r/r1/t/c2`, `${origin}/r/r1/t/c2#m5-a`, `${origin}/r/r1/d`])
})
