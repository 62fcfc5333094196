// The place that the map shows.

/** A page of a folder's room, or null for the country. */
export type Place = { path: string; page: number } | null

/** The text that names a place. */
export function placeKey(place: Place): string {
  return place ? `room ${place.path} ${place.page}` : 'country'
}
