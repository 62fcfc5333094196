// Links that export the realm's results as files.
import { EXPORTS, exportUrl, type ExportFormat } from '../net/url'
import type { Model } from '../state/model'
import { words } from '../words'
import { useApp } from './context'

/** Downloads an export of the realm, like a click on the export's link. */
function takeAlong(realmId: string, format: ExportFormat): void {
  const link = document.createElement('a')
  link.href = exportUrl(location, realmId, format)
  link.download = ''
  link.click()
}

/** Downloads the export if said is an /export command. The server's reply only names a file on the server's disk. */
export function takeExport(realmId: string, said: string): void {
  const asked = /^\/export(?:\s+(\w+))?$/.exec(said)
  const format = EXPORTS.find((f) => f === (asked?.[1] ?? 'markdown'))
  if (asked && format) takeAlong(realmId, format)
}

/** The formats that are offered. A realm without a linked folder has no map, so there is no svg. */
function offered(m: Model): readonly ExportFormat[] {
  return m.realm?.world.realm.path ? EXPORTS : EXPORTS.filter((format) => format !== 'svg')
}

export function ExportLinks({ realmId }: { realmId: string }) {
  const app = useApp()
  return (
    <div class="export" role="group" aria-label={words.export.label}>
      <span class="quiet" aria-hidden="true">
        {words.export.label}
      </span>
      {offered(app.model).map((format) => (
        <a
          key={format}
          href={exportUrl(location, realmId, format)}
          download=""
          title={words.export.hints[format]}
          data-testid={`export-${format}`}
        >
          {words.export.formats[format]}
        </a>
      ))}
    </div>
  )
}
