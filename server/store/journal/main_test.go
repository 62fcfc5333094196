package journal_test

import (
	"os"
	"testing"

	"agentdungeon/server/store/ramdisk"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Run(m)) }
