package sqlite

import (
	"encoding/binary"
	"fmt"

	"agentdungeon/server/store/disk"
)

// The first page of a database says what tables there are and where each begins. Where it is
// destroyed SQLite reads nothing, although all rows may be there. But Make makes all
// tables in one order, so their places are the same in every journal that it has made: an
// image gets the first page of a new one, and pages of the schema behind its last. Journals
// that schema 1 or 2 began, and no version has made anew since, lie otherwise: their tables
// fail the look at what lies there, and stay unread.

// WithSchema gives the image the schema of a new journal in the place of its own.
func (m *Image) WithSchema(pages [][]byte) error {
	first := pages[0]
	size := int64(len(first))
	if m.page == 0 {
		m.page = size
	}
	count := uint32(m.size / size)
	if m.page != size || count < 2 {
		return fmt.Errorf("%w: its pages have %d bytes", disk.ErrCorrupt, m.page)
	}
	m.patches = map[uint32][]byte{1: first}
	// The leaves of the schema follow the last page.
	move := func(at int) error {
		child := binary.BigEndian.Uint32(first[at:])
		if child < 2 || int(child) > len(pages) {
			return fmt.Errorf("page %d of a new journal is not there", child)
		}
		count++
		m.patches[count] = pages[child-1]
		binary.BigEndian.PutUint32(first[at:], count)
		return nil
	}
	if first[100] == 5 { // an inner page: its cells begin with the numbers of pages
		for i := range int(binary.BigEndian.Uint16(first[103:])) {
			if err := move(int(binary.BigEndian.Uint16(first[112+2*i:]))); err != nil {
				return err
			}
		}
		if err := move(108); err != nil {
			return err
		}
	}
	m.size = int64(count) * size
	for at, n := range map[int]uint32{24: 1, 92: 1, 28: count, 32: 0, 36: 0} { // change counters, pages, free pages
		binary.BigEndian.PutUint32(first[at:], n)
	}
	return nil
}
