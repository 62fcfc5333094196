// The folded row of a tool call: what people read of the calls of each program.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { briefOf } from './brief'

const readers = join(import.meta.dirname, '../../../../server/reader')

/** The inputs of all tool calls of the recordings of a program. */
function recorded(program: string): string[] {
  const at = join(readers, program, 'testdata')
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((f) =>
    /(entries\.txt|golden.*\.jsonl)$/.test(f),
  )
  const lines = files.flatMap((f) => readFileSync(join(at, f), 'utf8').split('\n'))
  return lines.flatMap((line) => {
    const m = /"Input":("(?:[^"\\]|\\.)*")/.exec(line)
    return m?.[1] ? [JSON.parse(m[1]) as string] : []
  })
}

const patch =
  '*** Begin Patch\n*** Update File: README.md\n@@\n-a\n+b\n*** Add File: notes/new.txt\n+one\n*** End Patch'
const moved = '*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** Delete File: c.go\n*** End Patch'
const steps = (...all: [string, string][]) => all.map(([status, step]) => ({ step, status }))
const plan = {
  explanation: 'Two steps',
  plan: steps(['completed', 'Read'], ['in_progress', 'Mend it'], ['pending', 'Test']),
}

describe('a tool call in a few words', () => {
  it.each([
    ['{"command":"touch x","description":"Make x"}', 'touch x'],
    ['{"file_path":"parser.go","limit":3}', 'parser.go'],
    ['{"command":["bash","-c","ls"]}', 'ls'],
    ['{"command":["ls","-l"]}', 'ls -l'],
    ['{}', ''],
    ['{"n":1}', 'n: 1'],
    ['*** Begin Patch', '*** Begin Patch'],
    ['{"pattern":"trials","path":"src"}', 'trials'],
    ['{"withheld":"git ignores it","files":[".env","key.pem"]}', '.env, key.pem'],
  ])('%s: %s', (input, brief) => expect(briefOf(input)).toBe(brief))

  it.each([
    [
      'exec_command',
      { cmd: 'sed -n 1,3p a.go && ls', workdir: '/repo', yield_time_ms: 1000 },
      'sed -n 1,3p a.go && ls',
    ],
    ['shell', { command: ['bash', '-lc', 'rg -n trials .'], timeout_ms: 1000 }, 'rg -n trials .'],
    ['local_shell_call', { type: 'exec', command: ['bash', '-lc', 'ls'], env: {} }, 'ls'],
    ['apply_patch', patch, 'README.md, add notes/new.txt'],
    ['apply_patch', { input: moved }, 'a.go, move to b.go, delete c.go'],
    ['shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] }, 'README.md, add notes/new.txt'],
    ['update_plan', plan, 'Mend it (1 of 3 done)'],
    ['update_plan', { plan: steps(['completed', 'Read']) }, '1 of 1 done'],
    ['update_plan', { plan: steps(['completed', 'Read'], ['pending', 'Test']) }, 'Test (1 of 2 done)'],
    ['view_image', { path: 'docs/logo.png' }, 'docs/logo.png'],
    ['web_search', { query: 'go embed' }, 'go embed'],
    ['write_stdin', { session_id: 7, chars: 'yes\n' }, 'yes\n'],
    ['write_stdin', { session_id: 7, chars: '' }, 'session_id: 7'],
    ['spawn_agent', { message: 'Look for it' }, 'Look for it'],
    ['wait', { ids: ['a', 'b'], timeout_ms: 5 }, 'ids: a b, timeout_ms: 5'],
    ['request_user_input', { questions: [{ id: 'q', question: 'Which one?' }] }, 'Which one?'],
    ['mcp__dungeon.about', { realm: 'r', deep: { line: 3, all: true } }, 'realm: r, line: 3, all: true'],
  ])('of Codex: %s %j: %s', (_, input, brief) =>
    expect(briefOf(typeof input === 'string' ? input : JSON.stringify(input))).toBe(brief),
  )

  it.each([
    [
      'OpenCode',
      'todowrite',
      { todos: [{ content: 'Mend it', status: 'in_progress', priority: 'high' }] },
      'Mend it (0 of 1 done)',
    ],
    ['OpenCode', 'edit', { filePath: 'o.txt', oldString: 'x', newString: 'y' }, 'o.txt'],
    ['OpenCode', 'apply_patch', { patchText: patch }, 'README.md, add notes/new.txt'],
    ['Gemini CLI', 'list_directory', { dir_path: 'src' }, 'src'],
    ['Gemini CLI', 'write_todos', { todos: [{ description: 'Mend it', status: 'pending' }] }, 'Mend it (0 of 1 done)'],
    ['Gemini CLI', 'google_web_search', { query: 'go embed' }, 'go embed'],
    ['Claude Code', 'AskUserQuestion', { questions: [{ question: 'Which one?', options: [] }] }, 'Which one?'],
    ['Claude Code', 'ExitPlanMode', { plan: '# Mend it' }, '# Mend it'],
  ])('of %s: %s %j: %s', (_, __, input, brief) => expect(briefOf(JSON.stringify(input))).toBe(brief))

  it.each([
    ['{"file_path":"a.go","content":"one \\"two\\" thr', 'a.go'],
    ['{"command":"cut', 'cut'],
    ['{"cmd":"echo \\"one\\" \\u00', 'echo "one" '],
    ['{"content":"cut', '{"content":"cut'],
    ['{"n":1,"command":"cut', '{"n":1,"command":"cut'],
  ])('of an input that the server has cut off: %s: %s', (input, brief) => expect(briefOf(input)).toBe(brief))

  it.each(['claude', 'codex', 'gemini', 'opencode'])('is no JSON for any call in the recordings of %s', (program) => {
    const inputs = recorded(program)
    expect(inputs.length).toBeGreaterThan(3)
    for (const input of inputs) expect(briefOf(input), input).toMatch(/^[^{[]|^\[\[/)
  })
})
