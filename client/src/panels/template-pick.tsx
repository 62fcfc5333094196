// The choice of a template. Each template is a line that says who plays it, how long it takes and what it produces.
import type { TemplateInfo } from '../net/protocol.gen'
import { words } from '../words'
import { inShort } from '../words-driver'

interface Props {
  templates: readonly TemplateInfo[]
  value: string
  onPick: (id: string) => void
}

export function TemplatePick({ templates, value, onPick }: Props) {
  return (
    <label>
      <span>{words.setup.template}</span>
      <select data-testid="template" value={value} onChange={(e) => onPick(e.currentTarget.value)}>
        {grouped(templates).map(([label, list]) => (
          <optgroup key={label} label={label}>
            {list.map((t) => (
              <option key={t.id} value={t.id}>
                {words.setup.choice([t.name, ...inShort(t)])}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

/** The templates grouped by who plays them, in the server's order: first those that need no people. */
function grouped(templates: readonly TemplateInfo[]): [string, TemplateInfo[]][] {
  const { whole, partly, people } = words.setup.formats
  const of = (t: TemplateInfo) =>
    t.cast.length > 0 && t.cast.every((r) => r.played) ? whole : t.driver === 'none' ? people : partly
  return [whole, partly, people]
    .map((label): [string, TemplateInfo[]] => [label, templates.filter((t) => of(t) === label)])
    .filter(([, list]) => list.length > 0)
}
