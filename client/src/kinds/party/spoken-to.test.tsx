// Words in the box of a party that mean something without a marker: a member's name at the beginning, and /pause.
import { describe, expect, it } from 'vitest'
import { drawn, fill, find, press, type Page } from '../../testing/page'
import { openParty, row, session } from '../../testing/party-page'

const opened = async (status: 'active' | 'paused'): Promise<Page> => {
  const at = { status, seats: [{ memberId: 'ada', spectatorId: 'p1' }] }
  const p = await openParty([session({ status, messages: [row('a')] })], at)
  find(p, 'talk-s1').click()
  await drawn()
  return p
}
const says = async (p: Page, text: string) => {
  await fill(find(p, 'talk-prompt'), text)
  press(find(p, 'talk-prompt'), 'Enter')
  await drawn()
}

describe('the box of a party', () => {
  it('asks the member to whom the words speak by name, and shows it before they are sent', async () => {
    const p = await opened('paused')
    await fill(find(p, 'talk-prompt'), 'Sage, what is risky?')
    expect(find(p, 'ask-sage').getAttribute('aria-pressed')).toBe('true')
    expect(find(p, 'ask-architect').getAttribute('aria-pressed')).toBe('false')
    await says(p, 'Sage, what is risky?')
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: 'Sage, what is risky? [NEXT: sage]' }])
  })

  it('pauses the party, not the process, by /pause', async () => {
    const p = await opened('active')
    await says(p, '/pause')
    expect(p.net.last.ofType('conversation.pause')).toMatchObject([{ conversationId: 's1' }])
    expect(p.net.last.ofType('player:command')).toEqual([])
  })

  it('says that a party that waits is paused already', async () => {
    const p = await opened('paused')
    await says(p, '/pause')
    expect(find(p, 'conversation').textContent).toContain('This conversation waits already.')
    expect(p.net.last.ofType('player:command')).toEqual([])
  })
})
