// The menu of the rarer buttons in the head of a conversation on a phone.
import { describe, expect, it } from 'vitest'
import { chat, openConversations, row } from '../../testing/conversation-page'
import { drawn, find, has, press, type Page } from '../../testing/page'

// The test's document has no popovers.
if (!('showPopover' in HTMLElement.prototype)) Object.assign(HTMLElement.prototype, { showPopover: () => undefined })

async function open(layout: 'desk' | 'phone'): Promise<Page> {
  const p = await openConversations({ views: [chat({ messages: [row('m', { memberId: 'ideator' })] })], layout })
  if (has(p, 'talk-back')) find(p, 'talk-back').click()
  await drawn()
  find(p, 'talk-c2').click()
  await drawn()
  return p
}
const names = (el: Element): (string | null)[] => [...el.querySelectorAll('button')].map((b) => b.textContent)

describe('the rarer buttons of a conversation', () => {
  it('are in a menu on a phone, which says what is open and closes by Escape', async () => {
    const p = await open('phone')
    const more = find(p, 'talk-more')
    expect([has(p, 'talk-rename'), has(p, 'talk-close'), more.getAttribute('aria-expanded')]).toEqual([
      false,
      true,
      'false',
    ])
    more.click()
    await drawn()
    const items = find(p, 'talk-more-items')
    expect(names(items)).toEqual([
      'Rename',
      'Erase this conversation…',
      'Copy the link to this talk',
      'Copy the conversation',
    ])
    expect([more.getAttribute('aria-expanded'), more.getAttribute('aria-controls')]).toEqual(['true', items.id])
    expect(document.activeElement).toBe(find(p, 'talk-rename'))
    press(document.activeElement as HTMLElement, 'Escape')
    await drawn()
    expect([has(p, 'talk-more-items'), document.activeElement]).toEqual([false, more])
  })

  it('close the menu when one of them begins something else', async () => {
    const p = await open('phone')
    find(p, 'talk-more').click()
    await drawn()
    find(p, 'talk-rename').click()
    await drawn()
    expect([has(p, 'talk-more-items'), has(p, 'talk-title')]).toEqual([false, true])
  })

  it('stay in the head on a desk', async () => {
    const p = await open('desk')
    expect([has(p, 'talk-more'), has(p, 'talk-rename'), has(p, 'copy-transcript')]).toEqual([false, true, true])
  })
})
