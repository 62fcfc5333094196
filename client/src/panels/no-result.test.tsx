// What the page shows of a process that was ended before it made a text.
import { expect, it } from 'vitest'
import { CAST, member, openConversations } from '../testing/conversation-page'
import { drawn, find, has } from '../testing/page'
import { message, view } from '../testing/samples'

it('the result of a process that made no text is what was said', async () => {
  const said = [
    message('m1', { role: 'user', memberId: 'ideator', name: 'Ann', content: 'A map for the first day.', seq: 3 }),
    message('m2', { role: 'system', memberId: '', name: '', content: 'A line of the system.', seq: 4 }),
  ]
  const process = { status: 'completed' as const, early: true, cast: CAST, collectedArtifacts: {} }
  const team = { id: 't', name: 't', members: [member('ideator', 'agent', 0)] }
  const p = await openConversations({
    views: [view({ messages: said, team })],
    process,
    world: { artifacts: [], findings: [] },
  })
  if (!has(p, 'completion')) find(p, 'show-result').click()
  await drawn()
  expect(find(p, 'completion').textContent).toContain('No stage had ended. This was said until then.')
  expect(find(p, 'completion').textContent).toContain('A map for the first day.')
  expect(find(p, 'completion').textContent).not.toContain('A line of the system.')
})
