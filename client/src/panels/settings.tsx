// The realm's settings: what may be changed while it runs.
import { useEffect, useState } from 'preact/hooks'
import type { Settings, SettingsPatch } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useApp } from './context'
import { Dialog } from './dialog'
import { Refusals } from './refusals'
import { ForgetMe } from './forget-me'

export function SettingsDialog({ realm, onClose }: { realm: RealmModel; onClose: () => void }) {
  const app = useApp()
  const { settings } = realm.world
  const [form, setForm] = useState<Settings>(settings)
  const [sent, setSent] = useState<string | null>(null)
  const pending = app.pending.value.find((p) => p.requestId === sent)
  useEffect(() => {
    if (sent !== null && pending === undefined) onClose()
  }, [sent, pending])
  const save = () => {
    const patch = Object.fromEntries(
      Object.entries(form).filter(([name, value]) => settings[name as keyof Settings] !== value),
    ) as SettingsPatch
    if (Object.keys(patch).length === 0) {
      onClose()
      return
    }
    const result = app.send({ type: 'player:update-settings', settings: patch })
    if (result.ok) setSent(result.requestId)
  }
  return (
    <Dialog title={words.settings.title} onClose={onClose} testid="settings">
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault()
          save()
        }}
      >
        <label>
          <span>{words.settings.mode}</span>
          <select
            data-testid="setting-mode"
            value={form.autonomyMode}
            onChange={(e) => setForm({ ...form, autonomyMode: e.currentTarget.value as Settings['autonomyMode'] })}
          >
            {Object.entries(words.settings.modes).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.settings.pace}</span>
          <select
            data-testid="setting-pace"
            value={form.pace}
            onChange={(e) => setForm({ ...form, pace: e.currentTarget.value as Settings['pace'] })}
          >
            {Object.entries(words.settings.paces).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.settings.timeout}</span>
          <input
            type="number"
            min={5}
            max={1800}
            required
            data-testid="setting-timeout"
            value={form.turnTimeoutSeconds}
            onInput={(e) => setForm({ ...form, turnTimeoutSeconds: e.currentTarget.valueAsNumber || 0 })}
          />
        </label>
        <label>
          <span>{words.settings.agents}</span>
          <input
            type="number"
            min={1}
            max={64}
            required
            data-testid="setting-agents"
            value={form.maxAgents}
            onInput={(e) => setForm({ ...form, maxAgents: e.currentTarget.valueAsNumber || 0 })}
          />
        </label>
        <label>
          <span>{words.settings.turns}</span>
          <input
            type="number"
            min={1}
            max={100}
            required
            data-testid="setting-turns"
            value={form.taskMaxTurns}
            onInput={(e) => setForm({ ...form, taskMaxTurns: e.currentTarget.valueAsNumber || 0 })}
          />
        </label>
        <label>
          <span>{words.settings.atOnce}</span>
          <input
            type="number"
            min={1}
            max={32}
            required
            data-testid="setting-at-once"
            value={form.maxConcurrentConversations}
            onInput={(e) => setForm({ ...form, maxConcurrentConversations: e.currentTarget.valueAsNumber || 0 })}
          />
        </label>
        <label>
          <span>{words.settings.window}</span>
          <input
            type="number"
            min={1}
            max={1000}
            required
            data-testid="setting-window"
            value={form.contextWindowMessages}
            onInput={(e) => setForm({ ...form, contextWindowMessages: e.currentTarget.valueAsNumber || 0 })}
          />
        </label>
        <label class="pick">
          <input
            type="checkbox"
            data-testid="setting-chats"
            checked={form.agentChats !== 'off'}
            onChange={(e) => setForm({ ...form, agentChats: e.currentTarget.checked ? 'on' : 'off' })}
          />
          <span>
            {words.settings.chats} <span class="quiet">{words.settings.chatsText}</span>
          </span>
        </label>
        <Refusals only={['player:update-settings']} />
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            data-testid="settings-save"
            disabled={pending !== undefined && pending.status !== 'refused'}
          >
            {pending && pending.status !== 'refused' ? words.settings.saving : words.settings.save}
          </button>
          <button type="button" onClick={onClose}>
            {words.settings.close}
          </button>
        </div>
      </form>
      <ForgetMe onErase={onClose} />
    </Dialog>
  )
}
