// Accessible tabs. The arrow keys, Home and End select another tab.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface TabSpec<Id extends string> {
  id: Id
  label: string
  /** A number beside the label. */
  badge?: ComponentChildren
  /** Whether the tab contains something new. */
  lit?: boolean
}

export function Tabs<Id extends string>({
  tabs,
  current,
  onPick,
  label,
  children,
}: {
  tabs: readonly TabSpec<Id>[]
  current: Id
  onPick: (id: Id) => void
  label: string
  children: ComponentChildren
}) {
  const list = useRef<HTMLDivElement>(null)
  // If the tabs do not fit, scroll to the current one.
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [current],
  )
  const move = (e: KeyboardEvent) => {
    const i = tabs.findIndex((t) => t.id === current)
    const to =
      e.key === 'ArrowRight'
        ? i + 1
        : e.key === 'ArrowLeft'
          ? i - 1
          : e.key === 'Home'
            ? 0
            : e.key === 'End'
              ? tabs.length - 1
              : null
    if (to === null) return
    e.preventDefault()
    const next = tabs[(to + tabs.length) % tabs.length]
    if (!next) return
    onPick(next.id)
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus()
  }
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((t) => (
          <button
            key={t.id}
            id={`tab-${t.id}`}
            type="button"
            role="tab"
            aria-selected={t.id === current}
            aria-controls="tab-panel"
            tabIndex={t.id === current ? 0 : -1}
            data-testid={`tab-${t.id}`}
            class={t.lit ? 'tab lit' : 'tab'}
            onClick={() => onPick(t.id)}
          >
            {t.label}
            {t.badge}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${current}`} class="tab-panel">
        <h2 class="visually-hidden">{tabs.find((t) => t.id === current)?.label}</h2>
        {children}
      </div>
    </div>
  )
}
