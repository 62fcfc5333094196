// Copying without https too: navigator.clipboard is missing on pages that were loaded from another address than
// loopback over http (S4-B10).

/** Returns whether the text is in the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'visually-hidden'
  const before = document.activeElement
  document.body.append(area)
  area.select()
  let done: boolean
  try {
    done = document.execCommand('copy')
  } catch {
    done = false
  }
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
