// The head of a conversation: what it says besides its title.
import { expect, it } from 'vitest'
import { council, choose, openConversations } from '../../testing/conversation-page'

it.each([
  ['the whole task where the title can be cut', 'Shall we rename the default branch to main, and when?', true],
  ['no task that the title says already', 'Rename the branch?', false],
])('shows %s', async (_, task, shown) => {
  const p = await openConversations({ views: [council({ title: task, taskPrompt: task })] })
  await choose(p, 'k')
  const text = p.root.querySelector('.conversation-task')?.textContent ?? ''
  expect(text.includes(task)).toBe(shown)
})
