// Whether this browser has what the drawing of the map needs.

let drawable: boolean | undefined

/** Asked once, for each asking takes a context. */
export function canDraw(): boolean {
  if (drawable === undefined) {
    try {
      const canvas = document.createElement('canvas')
      const gl = canvas.getContext('webgl2') ?? canvas.getContext('webgl')
      drawable = gl !== null
      gl?.getExtension('WEBGL_lose_context')?.loseContext()
    } catch {
      drawable = false
    }
  }
  return drawable
}
