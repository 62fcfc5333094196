// Whether this browser has WebGL, which the drawn map needs.

let drawable: boolean | undefined

/** Tested once, because each test creates a WebGL context. */
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
