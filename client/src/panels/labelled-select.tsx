// A select whose label is for screen readers and the tooltip only.

interface SelectProps {
  testid: string
  label: string
  /** The text of the option with the value ""; undefined if there is no such option. */
  any?: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onPick: (value: string) => void
}

export function LabelledSelect({ testid, label, any, value, options, onPick }: SelectProps) {
  return (
    <select
      data-testid={testid}
      aria-label={label}
      title={label}
      value={value}
      onChange={(e) => onPick(e.currentTarget.value)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {options.map(([v, text]) => (
        <option key={v} value={v}>
          {text}
        </option>
      ))}
    </select>
  )
}
