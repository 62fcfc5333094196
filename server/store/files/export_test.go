package files

import "agentdungeon/server/store/disk"

// Unexported names that the tests of this package use.

func Checksum(world []byte) string {
	_, sum, _ := compactAndSum(world) // an invalid world has no checksum
	return sum
}

var CompactAndSum = compactAndSum

var SumOfCompact = sumOfCompact

// SplitCheckpoint returns the world that splitCheckpoint takes out of a file.
func SplitCheckpoint(data []byte) ([]byte, error) {
	file, err := splitCheckpoint(data)
	return file.World, err
}

var Unmarshal = unmarshal

var DecodeRegistry = decodeRegistry

const MaxOffers = maxOffers

const MaxSkillFolders = maxSkillFolders

const MaxStateBytes = maxStateBytes

const MaxTemplateBytes = maxTemplateBytes

var Slug = slug

var UsableID = usableID

func (x *Worlds) RootRef() *disk.Folder { return &x.root }
