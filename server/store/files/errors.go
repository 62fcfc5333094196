package files

import (
	"errors"
)

var (
	// ErrNoRealm is an id that no registered realm of the tenant has.
	ErrNoRealm = errors.New("there is no such realm")
	// ErrNoTenant is an empty name of a tenant, or one that cannot be (S1-08).
	ErrNoTenant = errors.New("a tenant must be named, by 1 to 64 of a-z, 0-9, - and _")
	// ErrInWorlds is a repository path inside the worlds folder, which is never
	// linked: deleting a realm would delete it.
	ErrInWorlds = errors.New("the folder lies inside the worlds folder")
)
