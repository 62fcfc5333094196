// Links that export the realm's results as files.
import { EXPORTS, exportUrl, type ExportFormat } from '../net/url'
import { words } from '../words'

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

interface Props {
  realmId: string
  /** Whether there is a map: the realm has a linked folder. */
  map: boolean
  /** Whether SARIF is offered, which is for findings. */
  findings: boolean
  /** The conversation of an earlier process, for what that one alone has made. */
  processId?: string
}

export function ExportLinks({ realmId, map, findings, processId = '' }: Props) {
  const formats = EXPORTS.filter((format) => (map || format !== 'svg') && (findings || format !== 'sarif'))
  return (
    <div class="export" role="group" aria-label={words.export.label}>
      <span class="quiet" aria-hidden="true">
        {words.export.label}
      </span>
      {formats.map((format) => (
        <a
          key={format}
          href={exportUrl(location, realmId, format, processId)}
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
