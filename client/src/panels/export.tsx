// What this realm has come to, as a file to take along.
import { EXPORTS, exportUrl } from '../net/url'
import { words } from '../words'

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
