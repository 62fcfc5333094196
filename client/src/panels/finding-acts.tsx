// The actions on a finding: copy its link or its text, make it a quest, give it to an agent.
import type { Finding } from '../net/protocol.gen'
import { findingMarkdown } from '../files/markdown'
import { stands } from '../state/findings'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { FindingToAgent } from './finding-to-agent'
import { useSelect } from './use-select'

export function FindingActs({ finding: f }: { finding: Finding }) {
  const app = useApp()
  const w = viewerWords.act
  const realmId = useSelect(() => app.model.realm?.id ?? '', [app])
  const quested = useSelect(() => app.model.realm?.world.quests.some((q) => q.findingId === f.id) ?? false, [app, f.id])
  const command = `/quest make ${f.id}`
  const asked = app.pending.value.some((p) => p.frame.type === 'player:command' && p.frame.text === command)
  const link = () => app.places.linkTo({ kind: 'finding', realmId, id: f.id })
  return (
    <div class="buttons finding-acts" role="group" aria-label={w.title}>
      <CopyButton text={link} label={w.copyLink} testid="finding-copy-link" />
      <CopyButton text={() => findingMarkdown(f, link())} label={w.copyMarkdown} testid="finding-copy-markdown" />
      {quested ? (
        <span class="quiet meta" data-testid="finding-quested">
          {w.quested}
        </span>
      ) : (
        app.host.value &&
        !f.withdrawn && (
          <button
            type="button"
            class="small ghost"
            disabled={asked}
            data-testid="finding-quest"
            onClick={() => app.send({ type: 'player:command', text: command })}
          >
            {stands(f) ? w.quest : w.judge}
          </button>
        )
      )}
      {app.host.value && !f.withdrawn && <FindingToAgent finding={f} />}
    </div>
  )
}
