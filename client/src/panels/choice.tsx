// A labelled select with a few values.

interface Props<T extends string> {
  label: string
  testid: string
  value: T
  /** The text of each value. */
  options: Readonly<Record<T, string>>
  onPick: (value: T) => void
}

export function Choice<T extends string>({ label, testid, value, options, onPick }: Props<T>) {
  return (
    <label>
      <span>{label}</span>
      <select data-testid={testid} value={value} onChange={(e) => onPick(e.currentTarget.value as T)}>
        {Object.entries<string>(options).map(([v, text]) => (
          <option key={v} value={v}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
