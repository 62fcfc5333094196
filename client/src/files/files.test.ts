import { describe, expect, it } from 'vitest'
import type { Finding } from '../net/protocol.gen'
import { EDITORS, editorUrl, isLoopback } from './editors'
import { nextLine } from './next-line'
import { findingMarkdown, findingTask } from './markdown'

describe('editors', () => {
  const url = (id: string, path: string, line = 0) => {
    const editor = EDITORS.find((e) => e.id === id)
    return editor ? editorUrl(editor, '/home/a b/repo/', path, line) : ''
  }

  it('open a file at a line', () => {
    expect(url('vscode', 'src/main.go', 12)).toBe('vscode://file/home/a%20b/repo/src/main.go:12')
    expect(url('zed', 'a.go')).toBe('zed://file/home/a%20b/repo/a.go:1')
    expect(url('idea', 'a&b.go', 3)).toBe('idea://open?file=/home/a%20b/repo/a%26b.go&line=3')
  })

  it('keep names that URLs would take apart', () => {
    expect(url('vscode', 'what?#x.go', 1)).toBe('vscode://file/home/a%20b/repo/what%3F%23x.go:1')
    // The server writes "%" in a path as %25, and a byte that is not UTF-8 as %FF. The page must not encode these
    // again: the editor gets them as the server sent them.
    expect(url('vscode', '100%25/%FF', 1)).toBe('vscode://file/home/a%20b/repo/100%25/%FF:1')
  })

  it('are for pages from the server’s own machine', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(isLoopback(host), host).toBe(true)
    for (const host of ['192.168.1.5', 'localhost.example', '127.0.0.1.example', 'example'])
      expect(isLoopback(host), host).toBe(false)
  })
})

describe('a finding as text', () => {
  const finding = {
    id: 's-1',
    agentId: 'sentinel',
    severity: 'high',
    title: 'Shell with input',
    text: 'all of it',
    path: 'main.go',
    line: 12,
    at: '2026-01-01T00:00:00.000Z',
    check: 'sentinel/command-injection',
    evidence: 'exec("``` " + x)',
    why: 'Anybody can run commands.',
    advice: 'Pass arguments.',
  } as Finding

  it('is Markdown with its place, evidence and link', () => {
    const text = findingMarkdown(finding, 'http://host/r/r1/finding/s-1')
    expect(text).toContain('### Shell with input')
    expect(text).toContain('high severity · `main.go:12` · `sentinel/command-injection`')
    expect(findingMarkdown({ ...finding, confidence: 'low' }, '')).toContain('high severity · suspected · `main.go:12`')
    expect(text).toContain('````\nexec("``` " + x)\n````')
    expect(text).toContain('Pass arguments.')
    expect(text.endsWith('http://host/r/r1/finding/s-1\n')).toBe(true)
    expect(text).not.toContain('all of it')
  })

  it('is a task', () => {
    const text = findingTask(finding)
    expect(text).toContain('in main.go:12: Shell with input')
    expect(text).toContain('Advice: Pass arguments.')
    const { evidence: _e, why: _w, advice: _a, ...bare } = finding
    expect(findingTask(bare as Finding)).toContain('all of it')
  })
})

describe('the next finding of a file', () => {
  it('is the one below the marked line, else the first', () => {
    const at = (line: number) => nextLine([{}, { line: 3 }, { line: 9 }, { line: 9 }], line)
    expect([0, 3, 8, 9, 20].map(at)).toEqual([3, 9, 9, 3, 3])
  })
  it('does not exist in a file whose findings are in one line', () => {
    expect(nextLine([], 0)).toBe(0)
    expect(nextLine([{ line: 3 }], 0)).toBe(0)
    expect(nextLine([{}, { line: 3 }, { line: 3 }], 3)).toBe(0)
  })
})
