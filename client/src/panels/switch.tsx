// A setting that is on or off, with a sentence that says what off means.
interface Props {
  label: string
  text: string
  testid: string
  /** A setting of an older version has no value, which means on. */
  value: 'on' | 'off' | '' | undefined
  onPick: (value: 'on' | 'off') => void
}

export function Switch({ label, text, testid, value, onPick }: Props) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        data-testid={testid}
        checked={value !== 'off'}
        onChange={(e) => onPick(e.currentTarget.checked ? 'on' : 'off')}
      />
      <span>
        {label} <span class="quiet">{text}</span>
      </span>
    </label>
  )
}
