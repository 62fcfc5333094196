// Accepts a finding: shows and copies the line for the repository's file of accepted findings. If the server runs
// on the person's own machine, a button writes the line into the file.
import { useState } from 'preact/hooks'
import { isLoopback } from '../files/editors'
import type { Answer } from '../net/ask'
import { acceptFinding } from '../net/files'
import type { Finding, FindingAccepted } from '../net/protocol.gen'
import { words } from '../words'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { CopyButton } from './copy-button'

const MAX_REASON = 300

export function FindingAccept({ finding: f }: { finding: Finding }) {
  const app = useApp()
  const w = viewerWords.accept
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<Answer<FindingAccepted>>(null)
  const template = f.accept ?? ''
  const said = reason.trim()
  const line = said === '' ? template : template.replace(/REASON$/, () => said)
  const realm = app.model.realm
  const writes = app.host.value && !!realm?.world.realm.path && isLoopback(location.hostname)
  const write = (e: Event) => {
    e.preventDefault()
    if (realm === null || busy || said === '') return
    setBusy(true)
    void acceptFinding(realm.id, { findingId: f.id, reason: said, write: true }).then((got) => {
      setBusy(false)
      setAnswer(got)
    })
  }
  const done = answer !== null && 'got' in answer ? answer.got : null
  return (
    <form class="finding-accept" onSubmit={write}>
      <p class="quiet">{words.findings.acceptHow}</p>
      <label>
        <span class="meta">{w.reason}</span>
        <input
          type="text"
          value={reason}
          maxLength={MAX_REASON}
          data-testid="finding-accept-reason"
          onInput={(e) => setReason(e.currentTarget.value)}
        />
      </label>
      <code data-testid="finding-accept">{line}</code>{' '}
      <span class="buttons">
        <CopyButton text={() => `${line}\n`} label={words.findings.copyAccept} testid="finding-copy-accept" />
        {writes && (
          <button
            type="submit"
            class="small"
            disabled={busy || said === ''}
            title={w.writeHint}
            data-testid="finding-accept-write"
          >
            {w.write}
          </button>
        )}
      </span>
      {done !== null && (
        <p class="quiet" role="status" data-testid="finding-accepted">
          {done.written ? w.written(done.path) : w.known(done.path)}
        </p>
      )}
      {answer !== null && 'failed' in answer && (
        <p class="problem" role="alert">
          {answer.failed === '' ? w.failed : `${w.failed}: ${answer.failed}.`}
        </p>
      )}
    </form>
  )
}
