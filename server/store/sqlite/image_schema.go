package sqlite

import (
	"encoding/binary"
	"fmt"

	"agentdungeon/server/store/disk"
)

// The first page of a database lists its tables and the page at which each begins. If that page is destroyed,
// SQLite reads nothing, although all rows may be intact. But tables.Make always creates the tables in the same
// order, so they begin at the same pages in every journal that tables.Make has created. An image can therefore use
// the first page of a new journal in place of the destroyed one. The other schema pages of the new journal are
// added behind the last page of the image. Journals that schema 1 or 2 created, and that were never rebuilt, have
// another layout: their tables fail the check of the first rows (salvage.OpenSource) and are not read.

// WithSchema replaces the schema of the image by that of a new journal. pages are all pages of that new journal
// (tables.NewPages).
func (m *Image) WithSchema(pages [][]byte) error {
	first := pages[0]
	size := int64(len(first))
	if m.page == 0 {
		m.page = size
	}
	count := uint32(m.size / size)
	if m.page != size || count < 2 {
		return fmt.Errorf("%w: the database has %d pages of %d bytes and needs at least two of %d bytes",
			disk.ErrCorrupt, count, m.page, size)
	}
	m.patches = map[uint32][]byte{1: first}
	// The other pages of the schema follow the last page of the file.
	move := func(at int) error {
		child := binary.BigEndian.Uint32(first[at:])
		if child < 2 || int(child) > len(pages) {
			return fmt.Errorf("the schema of a new journal has no page %d", child)
		}
		count++
		m.patches[count] = pages[child-1]
		binary.BigEndian.PutUint32(first[at:], count)
		return nil
	}
	if first[100] == 5 { // an inner page: each cell begins with a page number
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
	for at, n := range map[int]uint32{24: 1, 92: 1, 28: count, 32: 0, 36: 0} { // counters, page count, free pages
		binary.BigEndian.PutUint32(first[at:], n)
	}
	return nil
}
