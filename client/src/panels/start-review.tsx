// A button that starts a review by scouts. It is shown if the linked folder was never reviewed.
import { startWords } from '../words-start'
import { useReview } from './use-review'

export function StartReview() {
  const review = useReview()
  if (review === null) return null
  return (
    <button
      type="button"
      class="small primary"
      data-testid="start-review"
      disabled={review.asked}
      onClick={review.start}
    >
      {startWords.startReview}
    </button>
  )
}
