package main

import (
	"errors"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"
)

// The collector is off until startLasts after the last of several starts, also if one of them fails, and then has the
// same settings as before the start. The operator's own settings stay as they are.
func TestCollectorIsOffDuringAStart(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(name, "") // so that the test's end restores the variable
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(150)) // a value that nothing else sets
	before := collectorSettings()
	during := settings{^uint64(0), startHeap}
	if before.percent != 150 || before.limit == startHeap {
		t.Fatalf("the collector has the settings %+v", before)
	}

	synctest.Test(t, func(t *testing.T) {
		is := func(want settings, when string) {
			t.Helper()
			if got := collectorSettings(); got != want {
				t.Errorf("%s the collector has the settings %+v, want %+v", when, got, want)
			}
		}
		broken := errors.New("broken")
		err := withoutCollector(func() error {
			is(during, "in a start")
			if err := withoutCollector(func() error { return broken }); !errors.Is(err, broken) {
				t.Errorf("a failed start returns %v", err)
			}
			is(during, "in a start beside one that fails")
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		time.Sleep(startLasts / 2)
		is(during, "shortly after a start")
		if err := withoutCollector(func() error { return nil }); err != nil {
			t.Error(err)
		}
		time.Sleep(startLasts - 1)
		is(during, "shortly after the second of two starts")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		is(before, "a while after two starts")

		if err := withoutCollector(func() error { return broken }); !errors.Is(err, broken) {
			t.Errorf("a failed start returns %v", err)
		}
		is(before, "after a failed start")

		t.Setenv("GOMEMLIMIT", "1GiB")
		if err := withoutCollector(func() error { is(before, "with the operator's own limit"); return nil }); err != nil {
			t.Error(err)
		}
	})
}

// settings are those of the garbage collector: a percentage, with all bits set if the collector is off, and a limit
// in bytes.
type settings struct{ percent, limit uint64 }

func collectorSettings() settings {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(samples)
	return settings{samples[0].Value.Uint64(), samples[1].Value.Uint64()}
}
