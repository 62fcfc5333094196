package recovery

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// Unexported names that the tests of this package use.

const SectorBytes = sectorBytes

var WriteReadable = writeReadable

// Examine returns the version of a realm.db, and why an opening would not use it as it is.
func Examine(ctx context.Context, path string) (version int, err error) {
	x, err := examine(ctx, path)
	if err != nil {
		return 0, err
	}
	return x.version, errors.Join(x.damage, x.rewrite, x.close())
}

// OpenReading opens a realm for reading, as Open does after an opening for writing has failed because of why.
func OpenReading(ctx context.Context, fs afero.Fs, dir string, realm world.Realm, now time.Time, why error) (*Opened, error) {
	d := newRealmDir(files.OpenRealm(fs, dir), realm, world.DefaultSettings(), now)
	return d.openReading(ctx, why, d.openLater)
}

// TakeTwice takes the world of state.json twice, as two attempts of one opening do, and calls change between the two.
func TakeTwice(fs afero.Fs, dir string, change func(*world.World)) (second *world.World) {
	d := newRealmDir(files.OpenRealm(fs, dir), world.Realm{}, world.DefaultSettings(), time.Now())
	state := newCheckpointFiles()[0]
	state.load(d.files)
	state.load(d.files)
	first := state.take().world
	change(first)
	state.load(d.files)
	return state.take().world
}
