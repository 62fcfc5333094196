package files

import "agentdungeon/server/store/disk"

// What the tests of this package see of its inside.

var Checksum = checksum

var DecodeRegistry = decodeRegistry

const MaxGiven = maxGiven

const MaxSkillFolders = maxSkillFolders

const MaxStateBytes = maxStateBytes

var Slug = slug

var Squeeze = squeeze

var UsableID = usableID

func (x *Worlds) RootRef() *disk.Folder { return &x.root }
