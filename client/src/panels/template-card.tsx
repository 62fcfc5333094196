// A template: what it is about, who plays it, how long it takes, what comes out, and its stages.
import type { TemplateInfo } from '../net/protocol.gen'
import { words } from '../words'
import { about, inShort, whoPlays } from '../words-driver'
import { wholeFlags } from './flags'

interface Props {
  template: TemplateInfo
  /** What plays roles on this server. It explains why no role of a template is played. */
  driver: string
  /** Whether the chosen place has a folder. */
  folder: boolean
}

export function TemplateCard({ template: t, driver, folder }: Props) {
  return (
    <>
      <div class="template-card">
        <p>{about(t)}</p>
        <p class="quiet">{words.setup.choice([t.name, ...inShort(t)])}</p>
        <ol class="template-stages">
          {t.stages.map((s) => (
            <li key={s}>{s}</li>
          ))}
        </ol>
      </div>
      <p class="driver quiet" data-testid="driver">
        {wholeFlags(whoPlays(t, driver, folder))}
      </p>
    </>
  )
}
