// The place that the map shows.

/** A page of a folder's room, or null for the country. */
export type Place = { path: string; page: number } | null

/** A text that identifies the place. */
export function placeKey(place: Place): string {
  return place ? `room ${place.path} ${place.page}` : 'country'
}
