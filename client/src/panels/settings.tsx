// The dialog of the realm's settings.
import { useState } from 'preact/hooks'
import type { Settings, SettingsPatch } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useApp } from './context'
import { Choice } from './choice'
import { Dialog } from './dialog'
import { Refusals } from './refusals'
import { Switch } from './switch'
import { useSent } from './use-sent'

/** The numeric settings with their limits. */
const NUMBERS = [
  { field: 'turnTimeoutSeconds', label: words.settings.timeout, testid: 'setting-timeout', min: 5, max: 1800 },
  { field: 'maxAgents', label: words.settings.agents, testid: 'setting-agents', min: 1, max: 64 },
  { field: 'taskMaxTurns', label: words.settings.turns, testid: 'setting-turns', min: 1, max: 100 },
  { field: 'maxConcurrentConversations', label: words.settings.atOnce, testid: 'setting-at-once', min: 1, max: 32 },
  { field: 'contextWindowMessages', label: words.settings.window, testid: 'setting-window', min: 1, max: 1000 },
] as const

/** The settings that are on or off. unset: whether the setting is on in a realm that has no value for it. */
const SWITCHES = [
  {
    field: 'agentChats',
    label: words.settings.chats,
    text: words.settings.chatsText,
    testid: 'setting-chats',
    on: 'on',
    off: 'off',
    unset: true,
  },
  {
    field: 'shadows',
    label: words.settings.shadows,
    text: words.settings.shadowsText,
    testid: 'setting-shadows',
    on: 'on',
    off: 'off',
    unset: true,
  },
  {
    field: 'shadowsFor',
    label: words.settings.shared,
    text: words.settings.sharedText,
    testid: 'setting-shared',
    on: 'everybody',
    off: 'hosts',
    unset: false,
  },
  {
    field: 'filesFor',
    label: words.settings.files,
    text: words.settings.filesText,
    testid: 'setting-files',
    on: 'everybody',
    off: 'hosts',
    unset: false,
  },
] as const

export function SettingsDialog({ realm, onClose }: { realm: RealmModel; onClose: () => void }) {
  const app = useApp()
  const { settings } = realm.world
  const [form, setForm] = useState<Settings>(settings)
  const { busy, follow } = useSent(onClose)
  const change = (over: Partial<Settings>) => setForm({ ...form, ...over })
  const save = () => {
    const patch = Object.fromEntries(
      Object.entries(form).filter(([name, value]) => settings[name as keyof Settings] !== value),
    ) as SettingsPatch
    if (Object.keys(patch).length === 0) {
      onClose()
      return
    }
    const result = app.send({ type: 'player:update-settings', settings: patch })
    if (result.ok) follow(result.requestId)
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
        <Choice
          label={words.settings.mode}
          testid="setting-mode"
          value={form.autonomyMode}
          options={words.settings.modes}
          onPick={(autonomyMode) => change({ autonomyMode })}
        />
        <Choice
          label={words.settings.pace}
          testid="setting-pace"
          value={form.pace}
          options={words.settings.paces}
          onPick={(pace) => change({ pace })}
        />
        {NUMBERS.map(({ field, label, testid, min, max }) => (
          <label key={field}>
            <span>{label}</span>
            <input
              type="number"
              min={min}
              max={max}
              required
              data-testid={testid}
              value={form[field]}
              onInput={(e) => change({ [field]: e.currentTarget.valueAsNumber || 0 })}
            />
          </label>
        ))}
        {SWITCHES.map(({ field, label, text, testid, on, off, unset }) => (
          <Switch
            key={field}
            label={label}
            text={text}
            testid={testid}
            on={form[field] ? form[field] === on : unset}
            onPick={(picked) => change({ [field]: picked ? on : off })}
          />
        ))}
        <Refusals only={['player:update-settings']} />
        <div class="buttons">
          <button type="submit" class="primary" data-testid="settings-save" disabled={busy}>
            {busy ? words.settings.saving : words.settings.save}
          </button>
          <button type="button" onClick={onClose}>
            {words.settings.close}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
