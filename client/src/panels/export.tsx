// What this realm has come to, as a file to take along.
import { EXPORTS, exportUrl, type ExportFormat } from '../net/url'
import { words } from '../words'

/** Has the browser fetch the file, as a click on its link does. */
export function takeAlong(realmId: string, format: ExportFormat): void {
  const link = document.createElement('a')
  link.href = exportUrl(location, realmId, format)
  link.download = ''
  link.click()
}

export function ExportLinks({ realmId }: { realmId: string }) {
  return (
    <div class="export" role="group" aria-label={words.export.label}>
      <span class="quiet" aria-hidden="true">
        {words.export.label}
      </span>
      {EXPORTS.map((format) => (
        <a key={format} href={exportUrl(location, realmId, format)} download="" title={words.export.hints[format]} data-testid={`export-${format}`}>
          {words.export.formats[format]}
        </a>
      ))}
    </div>
  )
}
