// The drawing of a door. back: whether the door leads to the parent folder.
import { Drawing } from './drawing'

export function DoorDrawing({ back = false }: { back?: boolean }) {
  return (
    <Drawing class="drawing drawing-door">
      <path fill="#3b3f5c" d="M2 15V5h1V3h2V2h6v1h2v2h1v10z" />
      <path fill="#565a7a" d="M2 7h2v2H2zm0 4h2v2H2zm10-4h2v2h-2zm0 4h2v2h-2zM6 2h4v2H6z" />
      {back ? (
        <>
          <path fill="#0d0f1a" d="M4 15V6h1V5h1V4h4v1h1v1h1v9z" />
          <path fill="#7d82a0" d="M5 13h6v2H5zm1-3h5v2H6zm2-3h3v2H8z" />
        </>
      ) : (
        <>
          <path fill="#6b4a36" d="M4 15V6h1V5h1V4h4v1h1v1h1v9z" />
          <path fill="#9a7250" d="M5 6h2v9H5zm4 0h2v9H9z" />
          <path fill="#ffd27a" d="M10 10h1v1h-1z" />
        </>
      )}
    </Drawing>
  )
}
