// What a template is for, its stages, and who plays its roles.
import type { TemplateInfo } from '../net/protocol.gen'
import { words } from '../words'
import { whoPlays } from '../words-driver'

interface Props {
  template: TemplateInfo
  /** What plays roles on this server that the template has no words for. */
  driver: string
  /** There is a folder where it is begun. */
  folder: boolean
}

export function TemplateCard({ template: t, driver, folder }: Props) {
  return (
    <>
      <div class="template-card">
        <p>{t.description}</p>
        <p class="quiet">{words.setup.stages(t.stages.length, t.roles.length)}</p>
        <ol class="template-stages">
          {t.stages.map((s) => (
            <li key={s}>{s}</li>
          ))}
        </ol>
      </div>
      <p class="driver quiet" data-testid="driver">
        {whoPlays(t, driver, folder)}
      </p>
    </>
  )
}
