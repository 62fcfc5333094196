// A setting that is on or off, with a sentence that says what it means.
interface Props {
  label: string
  text: string
  testid: string
  on: boolean
  onPick: (on: boolean) => void
}

export function Switch({ label, text, testid, on, onPick }: Props) {
  return (
    <label class="pick">
      <input type="checkbox" data-testid={testid} checked={on} onChange={(e) => onPick(e.currentTarget.checked)} />
      <span>
        {label} <span class="quiet">{text}</span>
      </span>
    </label>
  )
}
