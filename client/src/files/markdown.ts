// A finding as Markdown and as the text of a task. Pure.
import type { Finding } from '../net/protocol.gen'
import { gradeOf } from '../panels/finding-grade'

function placeOf(f: Finding): string {
  if (f.path === '') return ''
  return f.line ? `${f.path}:${f.line}` : f.path
}

/** A Markdown code fence that is longer than any run of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** A finding as Markdown. link: the finding's address. */
export function findingMarkdown(f: Finding, link: string): string {
  const place = placeOf(f)
  const parts = [
    `### ${f.title}`,
    `${gradeOf(f).replaceAll('\u00a0', ' ')}${place ? ` · \`${place}\`` : ''}${f.check ? ` · \`${f.check}\`` : ''}`,
    f.evidence ? fenced(f.evidence) : '',
    f.why ?? (f.evidence || f.advice ? '' : f.text),
    f.advice ?? '',
    f.patch ? fenced(f.patch) : '',
    link,
  ]
  return `${parts.filter((p) => p !== '').join('\n\n')}\n`
}

/** A finding as the text of a task for an agent. */
export function findingTask(f: Finding): string {
  const place = placeOf(f)
  const parts = [
    `Please mend this finding of a code review${place ? ` in ${place}` : ''}: ${f.title}`,
    f.evidence ? `Evidence:\n${f.evidence}` : '',
    f.why ? `Why: ${f.why}` : '',
    f.advice ? `Advice: ${f.advice}` : '',
    f.evidence || f.why || f.advice ? '' : f.text,
  ]
  return parts.filter((p) => p !== '').join('\n\n')
}
