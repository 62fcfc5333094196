// The editors that a link can open at a file and a line. The page has such links only for hosts on the server's own
// machine: the link contains the absolute path of the file there. Pure.

export interface Editor {
  id: string
  name: string
  /** path: absolute, percent-encoded, with a "/" at its beginning. line: at least 1. */
  url: (path: string, line: number) => string
}

export const EDITORS: readonly Editor[] = [
  { id: 'vscode', name: 'VS Code', url: (p, l) => `vscode://file${p}:${l}` },
  { id: 'cursor', name: 'Cursor', url: (p, l) => `cursor://file${p}:${l}` },
  { id: 'windsurf', name: 'Windsurf', url: (p, l) => `windsurf://file${p}:${l}` },
  { id: 'vscodium', name: 'VSCodium', url: (p, l) => `vscodium://file${p}:${l}` },
  { id: 'zed', name: 'Zed', url: (p, l) => `zed://file${p}:${l}` },
  { id: 'idea', name: 'IntelliJ IDEA', url: (p, l) => `idea://open?file=${p}&line=${l}` },
  { id: 'goland', name: 'GoLand', url: (p, l) => `goland://open?file=${p}&line=${l}` },
  { id: 'pycharm', name: 'PyCharm', url: (p, l) => `pycharm://open?file=${p}&line=${l}` },
  { id: 'webstorm', name: 'WebStorm', url: (p, l) => `webstorm://open?file=${p}&line=${l}` },
  { id: 'sublime', name: 'Sublime Text', url: (p, l) => `subl://open?url=file://${p}&line=${l}` },
  { id: 'textmate', name: 'TextMate', url: (p, l) => `txmt://open?url=file://${p}&line=${l}` },
]

/** Whether a page whose address has this host name runs on the server's own machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** The address that opens a file. folder: the linked folder on this machine. path: in the contract's form (P1.7). */
export function editorUrl(editor: Editor, folder: string, path: string, line: number): string {
  const whole = `${encodeURI(folder.replace(/\/+$/, ''))}/${path.split('/').map(encodedName).join('/')}`
  // encodeURI does not encode "?", "#" and "&", which would end the path in the URL.
  return editor.url(whole.replace(/[?#&]/g, encodeURIComponent), Math.max(1, line))
}

/**
 * Percent-encodes a name from the server. The server has already written bytes that are not plain text as %XX;
 * those stay as they are.
 */
function encodedName(name: string): string {
  return name
    .split(/(%[0-9A-F]{2})/)
    .map((part, i) => (i % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')
}
