/** Fits the texts of a row into the room that it has. Pure. */

/** Number of characters of a name and a place together that leave room for evidence. */
const NAME_AND_PLACE = 52;

/** The least number of characters of a place, however long the name is. */
const MIN_PLACE = 24;

/** Returns a path and line as far as there is room beside a name: its folders are cut off from the left, whole ones. */
export function shortenPlace(place: string, name: string): string {
  const room = Math.max(MIN_PLACE, NAME_AND_PLACE - name.length);
  if (place.length <= room) return place;
  const segments = place.split("/");
  let shown = segments.pop() ?? "";
  while (segments.length > 0) {
    const longer = `${segments.at(-1)}/${shown}`;
    if (longer.length + "…/".length > room) break;
    segments.pop();
    shown = longer;
  }
  return segments.length > 0 ? `…/${shown}` : shown;
}
