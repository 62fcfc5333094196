// A template: what it is about, stages, and who plays its roles.
import type { TemplateInfo } from '../net/protocol.gen'
import { words } from '../words'
import { about, scoutsOf, whoPlays } from '../words-driver'
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
        <p class="quiet">
          {t.driver === 'scout'
            ? words.setup.scouted(t.stages.length, scoutsOf(t))
            : words.setup.stages(t.stages.length, t.roles.length)}
        </p>
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
