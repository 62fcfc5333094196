// The words for tools: the same for the same act, whatever a program calls it.
import { expect, it } from 'vitest'
import { actOf, doesOf } from './words-acts'

it.each([
  [['Bash', 'bash', 'shell', 'exec_command', 'run_shell_command'], 'run a command', 'runs a command'],
  [['Read', 'read', 'read_file'], 'read a file', 'reads a file'],
  [['Edit', 'MultiEdit', 'replace'], 'edit a file', 'edits a file'],
  [['Grep', 'grep', 'search_file_content'], 'search in files', 'searches in files'],
  [['Agent', 'Task', 'multi_agent_v1.spawn_agent', 'invoke_agent'], 'run a sub-agent', 'runs a sub-agent'],
  [['mcp__files__read', 'mcp__dungeon.say', 'files.read', 'Frobnicate', 'toString', ''], '', ''],
])('%j: %s', (tools, act, does) => {
  expect(tools.map(actOf)).toEqual(tools.map(() => act))
  expect(tools.map(doesOf)).toEqual(tools.map(() => does))
})
