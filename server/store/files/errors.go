package files

import (
	"errors"
)

var (
	// ErrNoRealm means that the tenant has no registered realm with the id.
	ErrNoRealm = errors.New("there is no such realm")
	// ErrNoTenant means that the name of a tenant is empty or not allowed (S1-08).
	ErrNoTenant = errors.New("a tenant must be named, by 1 to 64 of a-z, 0-9, - and _")
	// ErrInWorlds means that a repository's path is inside the worlds folder. Such a repository is never
	// linked, because deleting a realm would delete it.
	ErrInWorlds = errors.New("the folder lies inside the worlds folder")
)
