// A Markdown file of a skill: its front matter as code, its body rendered.
import { Markdown } from '../../panels/markdown/markdown'

export function SkillMarkdown({ text }: { text: string }) {
  const parts = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(text)
  return (
    <div class="markdown text">
      {parts && <pre class="code">{parts[1]}</pre>}
      <Markdown text={parts ? (parts[2] ?? '') : text} />
    </div>
  )
}
